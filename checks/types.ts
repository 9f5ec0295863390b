import { readdirSync } from 'node:fs';
import { readArchitectureTable } from './architecture-table.ts';
import type { Finding } from './finding.ts';
import { readPackages, readText } from './repository.ts';
import { runTool, ToolError } from './tool.ts';

/** Type-checks everything once with Node's types, and the packages that must run in a browser a second time without them. */
export async function checkTypes(root: string): Promise<Finding[]> {
  const programs = readdirSync(root).filter((file) => /^tsconfig(?:\.(?!base\.).+)?\.json$/u.test(file));
  const output: string[] = [];
  for (const program of programs) {
    // Not `tsc -b`: that trusts the times of files, and so misses one that was saved while an earlier run was under way.
    const result = await runTool('tsc', ['-p', program, '--pretty', 'false'], root);
    if (result.code !== 0 && readDiagnostics(result.stdout).length === 0) throw new ToolError('tsc', result);
    output.push(result.stdout);
  }
  return [...readDiagnostics(output.join('')), ...checkPurePrograms(root, programs)];
}

/** The diagnostics in tsc's output; a file that is part of two programs is reported once. */
export function readDiagnostics(output: string): Finding[] {
  const findings = new Map<string, Finding>();
  // A diagnostic may go on over indented lines.
  for (const entry of output.trim().split(/\n(?!\s)/u)) {
    const [, file, line, message] = /^(.+?)\((\d+),\d+\): error (TS\d+: [^]*)$/u.exec(entry) ?? [];
    if (file !== undefined && message !== undefined) findings.set(entry, { file, line: Number(line), message });
    else if (entry.startsWith('error ')) findings.set(entry, { file: 'tsconfig.json', message: entry });
  }
  return [...findings.values()];
}

/** A package without `node:` that no second program covers could use Node's globals unnoticed. */
function checkPurePrograms(root: string, programs: readonly string[]): Finding[] {
  const { rows } = readArchitectureTable(root);
  const others = programs.filter((file) => file !== 'tsconfig.json').map((file) => readText(root, file));
  return readPackages(root)
    .filter(({ directory }) => rows.get(directory.slice('packages/'.length))?.node === false)
    .filter(({ directory }) => !others.some((text) => text.includes(`"${directory}/src"`)))
    .map(({ directory }) => ({
      file: 'tsconfig.pure.json',
      message: `include "${directory}/src": ARCHITECTURE.md says that it does without node:`,
    }));
}
