import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from './finding.ts';
import { asRecord, readText } from './repository.ts';
import { runTool, ToolError } from './tool.ts';

/**
 * Finds files, exports and dependencies that are not used, and imports that no package.json declares. Two passes: one over
 * everything, tests included, and one as if there were no tests, which finds what only its own test keeps alive.
 */
export async function checkDeadCode(root: string): Promise<Finding[]> {
  const config = asRecord(JSON.parse(readText(root, 'knip.json')));
  const everything = await runKnip(root, 'everything', config, []);
  // An internal name may be exported for its test as long as its own file uses it.
  const production = await runKnip(root, 'production', { ...config, ignoreExportsUsedInFile: true }, ['--strict']);
  const known = new Set(everything.map(({ file, message }) => `${file} ${message}`));
  const onlyForTests = production.filter(({ file, message }) => !known.has(`${file} ${message}`));
  return [
    ...everything,
    ...onlyForTests.map((finding) => ({ ...finding, message: `${finding.message} (tests aside)` })),
  ];
}

async function runKnip(
  root: string,
  name: string,
  config: Record<string, unknown>,
  args: string[],
): Promise<Finding[]> {
  const directory = join(root, '.cache', 'knip');
  mkdirSync(directory, { recursive: true });
  const file = join(directory, `${name}.json`);
  writeFileSync(file, JSON.stringify(config));
  const include = Object.keys(advice).join(',');
  const result = await runTool(
    'knip',
    ['--config', file, '--include', include, '--reporter', 'json', '--no-progress', '--no-config-hints', ...args],
    root,
  );
  if (result.code !== 0 && !result.stdout.startsWith('{')) throw new ToolError('knip', result);
  const { issues } = asRecord(JSON.parse(result.stdout));
  return Array.isArray(issues) ? issues.flatMap(readIssue) : [];
}

const advice: Record<string, (name: string) => string> = {
  files: () => 'nothing imports this file: delete it, or import it where it is meant to be used',
  dependencies: (name) => `nothing imports ${name}: remove it from the dependencies`,
  devDependencies: (name) => `nothing uses ${name}: remove it from the devDependencies`,
  unlisted: (name) => `list ${name} in the package.json of this package, or do not import it`,
  unresolved: (name) => `"${name}" cannot be found: correct the import`,
  exports: (name) => `nothing imports ${name}: delete it or its \`export\``,
  types: (name) => `nothing imports the type ${name}: delete it or its \`export\``,
};

function readIssue(value: unknown): Finding[] {
  const issue = asRecord(value);
  const file = typeof issue['file'] === 'string' ? issue['file'] : '.';
  return Object.entries(advice).flatMap(([kind, message]) => {
    const items: unknown = issue[kind];
    if (!Array.isArray(items)) return [];
    return items.map((item: unknown) => {
      const { name, line } = asRecord(item);
      return { file, ...(typeof line === 'number' ? { line } : {}), message: message(String(name)) };
    });
  });
}
