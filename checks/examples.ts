import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Finding } from './finding.ts';
import { listFiles, readText } from './repository.ts';
import { runNode, runTool, ToolError } from './tool.ts';
import { readDiagnostics } from './types.ts';

const folder = '.cache/examples';
/** An example that has not ended after so long never ends, however busy the machine is. */
const limitMilliseconds = 300_000;

/** Type-checks and runs every TypeScript example of the documentation; an example that throws or fails is a finding. */
export async function checkExamples(root: string): Promise<Finding[]> {
  const examples = listFiles(root)
    .filter(isDocumentation)
    .flatMap((file) => readExamples(file, readText(root, file)));
  rmSync(join(root, folder), { recursive: true, force: true });
  if (examples.length === 0) return [];
  mkdirSync(join(root, folder), { recursive: true });
  for (const { path, text } of examples) writeFileSync(join(root, path), text);
  const ill = await findIllTyped(root, examples);
  const sound = examples.filter((example) => !ill.some(({ file }) => file === example.file));
  if (await runTogether(root, sound)) return ill;
  // Something is wrong with one of them: each alone tells with which.
  const failed: Finding[] = [];
  for (const example of sound) failed.push(...(await runExample(root, example)));
  return [...ill, ...failed];
}

/** Runs examples one after the other in one process, since loading the packages is most of their time. False if any of them fails. */
async function runTogether(root: string, examples: readonly Example[]): Promise<boolean> {
  const program = join(folder, 'all.mjs');
  const imports = examples.map(({ path }) => `await import(${JSON.stringify(join(root, path))});`);
  writeFileSync(join(root, program), `${imports.join('\n')}\nconsole.log(${JSON.stringify(done)});\n`);
  const { code, stdout } = await runNode([join(root, program)], root, limitMilliseconds);
  return code === 0 && stdout.includes(`${done}\n`);
}

const done = 'all examples were run';

interface Example {
  readonly file: string;
  readonly line: number;
  /** The extracted program, relative to the root. */
  readonly path: string;
  readonly text: string;
}

// Decisions are records of their time: their code need not work later.
function isDocumentation(file: string): boolean {
  return file === 'README.md' || (/^docs\/.*\.md$/u.test(file) && !file.startsWith('docs/decisions/'));
}

function readExamples(file: string, text: string): Example[] {
  const examples: Example[] = [];
  const lines = text.split('\n');
  for (const [index, content] of lines.entries()) {
    if (!/^```\s*(?:ts|typescript)\b/iu.test(content.trim())) continue;
    const length = lines.slice(index + 1).findIndex((line) => line.trim() === '```');
    const body = lines.slice(index + 1, length < 0 ? undefined : index + 1 + length);
    // As many empty lines as there are above the example, so that errors name the line of the document.
    const program = '\n'.repeat(index + 1) + body.join('\n');
    const path = `${folder}/${file.replaceAll(/\W+/gu, '-')}-${index + 1}.ts`;
    examples.push({ file, line: index + 1, path, text: `${program}\n` });
  }
  return examples;
}

async function findIllTyped(root: string, examples: readonly Example[]): Promise<Finding[]> {
  const config = {
    extends: '../../tsconfig.base.json',
    compilerOptions: { types: ['node'], incremental: false },
    include: ['*.ts'],
  };
  writeFileSync(join(root, folder, 'tsconfig.json'), JSON.stringify(config));
  const result = await runTool('tsc', ['-p', join(folder, 'tsconfig.json'), '--pretty', 'false'], root);
  const findings = readDiagnostics(result.stdout);
  if (result.code !== 0 && findings.length === 0) throw new ToolError('tsc', result);
  return findings.map((finding) => ({
    ...finding,
    file: examples.find(({ path }) => path === finding.file)?.file ?? finding.file,
  }));
}

async function runExample(root: string, { file, line, path }: Example): Promise<Finding[]> {
  const { code, stderr } = await runNode([join(root, path)], root, limitMilliseconds);
  if (code === 0) return [];
  const thrownAt = new RegExp(`${RegExp.escape(path)}:(\\d+)`, 'u').exec(stderr)?.[1];
  // Node shows the source first, then the error up to its stack, then the fields of the error.
  const [reason = ''] = /^\w*Error\b[^]*?(?=\n\s+at )/mu.exec(stderr) ?? [stderr.trim() || `it exits with ${code}`];
  const message =
    code === null ? `the example did not end within ${limitMilliseconds / 1000} s` : `the example fails: ${reason}`;
  return [{ file, line: thrownAt === undefined ? line : Number(thrownAt), message }];
}
