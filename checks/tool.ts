import { spawn } from 'node:child_process';
import { delimiter, join } from 'node:path';

const binaries = join(import.meta.dirname, '../node_modules/.bin');

export interface ToolResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a tool of this repository's node_modules in another directory, under the Node that runs the checks. */
export async function runTool(name: string, args: readonly string[], root: string): Promise<ToolResult> {
  return runNode([join(binaries, name), ...args], root);
}

/** Runs Node itself. Colours are off, since the output is read by a program; a failure to start is thrown. */
export async function runNode(args: readonly string[], directory: string, limit?: number): Promise<ToolResult> {
  const child = spawn(process.execPath, args, {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    // oxlint looks for its type-aware half on PATH. A test runner sets NODE_TEST_CONTEXT for its children, which would make theirs report to it.
    env: {
      ...process.env,
      PATH: `${binaries}${delimiter}${process.env['PATH']}`,
      NO_COLOR: '1',
      FORCE_COLOR: undefined,
      NODE_TEST_CONTEXT: undefined,
      // tsc and the type-aware half of oxlint are Go programs; collecting garbage less often saves tsc a quarter of its work, for a tenth more memory.
      GOGC: process.env['GOGC'] ?? '400',
    },
    ...(limit === undefined ? {} : { timeout: limit }),
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, stdout, stderr };
}

/** For a tool whose output makes no sense: the developer has to see what it said. */
export class ToolError extends Error {
  readonly code = 'tool-failed';

  constructor(name: string, { code, stdout, stderr }: ToolResult) {
    super(`${name} failed (exit code ${code}) without naming a file:\n${stdout}${stderr}`);
    this.name = 'ToolError';
  }
}
