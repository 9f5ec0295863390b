import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** The outcome of a process. */
export type ProcessOutcome = { code: number | null; stdout: string; stderr: string };

/** Starts the command as users do, with a fresh home and none of this machine's keys. */
export function runLoom(
  args: readonly string[],
  {
    home,
    input = '',
    env = {},
    nodeArgs = [],
    cwd,
  }: { home: string; input?: string; env?: Record<string, string>; nodeArgs?: string[]; cwd?: string },
): Promise<ProcessOutcome> {
  const child = spawn(process.execPath, [...nodeArgs, nodeArgs.length === 0 ? PROGRAM : MAIN, ...args], {
    env: { ...ownEnvironment(home), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  });
  const outcome = { code: null, stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (outcome.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (outcome.stderr += text));
  // The command may end without reading its input.
  child.stdin.on('error', () => undefined).end(input);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ ...outcome, code }));
  });
}

/** A home, and nothing else of this machine's settings and keys; sources that were compiled before are not compiled again. */
export function ownEnvironment(home: string): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env;
  return { PATH, HOME: home, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }) };
}

/** The source of the command's entry, for tests that look at its modules. */
const MAIN = join(import.meta.dirname, '../main.ts');

/** The command as people run it: the bundle that `npm test` has built, which starts in half of the time; without one its source. */
export const PROGRAM = process.env['LOOM_PROGRAM'] ?? MAIN;
