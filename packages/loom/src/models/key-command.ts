import { count } from '../terminal/progress.ts';
import { KEY_VARIABLES } from '../secrets.ts';

/** A key that a program printed, or the reason there is none. Neither the command nor its output is ever repeated: both may hold secrets. */
export type PrintedKey = { ok: true; key: string } | { ok: false; message: string };

export interface KeyCommandOptions {
  env: Readonly<Record<string, string | undefined>>;
  /** The longest run time, in milliseconds: a person may have to unlock something. */
  patience?: number;
}

/**
 * Runs a program that prints a key. A list is a program with its arguments; a text is a line for the shell, so that `~`, pipes and quotes
 * mean the same as everywhere else. Only the person's own configuration names such a program.
 */
export async function runKeyCommand(
  command: string | readonly string[],
  { env, patience = 60_000 }: KeyCommandOptions,
): Promise<PrintedKey> {
  const [program = '', ...args] = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  const isOwnKey = (name: string): boolean => KEY_VARIABLES.some(({ variable }) => variable === name);
  // Loaded here: every command loads this file, and few run a program.
  const { spawn } = await import('node:child_process');
  const child = spawn(program, args, {
    env: Object.fromEntries(Object.entries(env).filter(([name]) => !isOwnKey(name))),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const { promise: ended, resolve } = Promise.withResolvers<PrintedKey>();
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    if (printed.length > longestOutput) resolve({ ok: false, message: 'printed far more than a key' });
  });
  child.on('error', () => resolve({ ok: false, message: 'could not be started' }));
  child.on('close', (code) => resolve(judge(printed, code)));
  const timer = setTimeout(
    () => resolve({ ok: false, message: `printed no key within ${count(Math.ceil(patience / 1000), 'second')}` }),
    patience,
  );
  const answer = await ended;
  clearTimeout(timer);
  // A child of the program may hold the pipe open.
  child.stdout.destroy();
  if (child.exitCode === null) child.kill();
  return answer;
}

const longestOutput = 65_536;

/** The first line is the key: password managers print notes below it. */
function judge(printed: string, code: number | null): PrintedKey {
  if (code !== 0)
    return { ok: false, message: code === null ? 'was ended by a signal' : `ended with exit code ${code}` };
  const key = printed.trimStart().split('\n', 1)[0]?.trim() ?? '';
  if (key === '') return { ok: false, message: 'printed nothing' };
  // A key goes into an HTTP header, which takes visible ASCII only.
  return /^[\x21-\x7E]+$/.test(key) ? { ok: true, key } : { ok: false, message: 'printed something that is no key' };
}
