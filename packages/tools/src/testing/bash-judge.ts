import { execFileSync } from 'node:child_process';

/**
 * Asks bash itself what command lines run: returns, for each line, the words of every program it would start. There are no programs on
 * the judge's path, so that nothing runs but bash.
 */
export function judgeLines(lines: readonly string[], directory: string): string[][][] {
  const input = lines.map((line) => `${line}\0`).join('');
  const env = { HOME: '/home/judge', LC_ALL: 'C.UTF-8', VARIABLE: 'value of it' };
  const out = execFileSync('/bin/bash', ['--noprofile', '--norc', '-c', script], {
    input,
    cwd: directory,
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const judged = out.split('\u0002').slice(0, -1);
  return judged.map((said) =>
    said
      .split('\u0001')
      .slice(1)
      .map((program) => program.split('\u0003').slice(0, -1)),
  );
}

/** The output is collected until everything that a line has started is gone, also what it runs in the background. */
const script = `
PATH=/nowhere
command_not_found_handle() { printf '\\1'; printf '%s\\3' "$@"; }
while IFS= read -r -d '' line; do
  heard=$( (eval -- "$line") </dev/null)
  printf '%s\\2' "$heard"
done
`;
