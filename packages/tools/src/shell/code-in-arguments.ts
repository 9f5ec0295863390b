import { dangerOf } from '@loom/blocks/asking';
import type { SimpleCommand } from '../command-line/simple-command.ts';

/** Arguments through which a program that tests or builds takes another program, or code: by the program, as beginnings of its arguments. */
const openings: readonly { programs: string; arguments: readonly string[] }[] = [
  { programs: 'make gmake', arguments: ['--eval', 'SHELL=', '.SHELLFLAGS=', 'MAKEFLAGS='] },
  { programs: 'go', arguments: ['-exec', '--exec', '-toolexec', '--toolexec', '-vettool', '--vettool'] },
  { programs: 'cargo', arguments: ['--config'] },
  {
    programs: 'npm pnpm yarn bun npx',
    arguments: ['--script-shell', '--node-options', '--shell', '--prefix', '--cwd', '-C'],
  },
  // The arguments behind the script go to its last program, which is often node.
  {
    programs: 'npm pnpm yarn bun node',
    arguments: ['--import', '--require', '-r', '--loader', '--eval', '-e', '--print', '-p'],
  },
  { programs: 'mvn', arguments: ['-Dexec.', 'exec:'] },
  { programs: 'gradle gradlew', arguments: ['-I', '--init-script'] },
  { programs: 'pytest python python3', arguments: ['-p', '-c', '-o', '--override-ini', '--rootdir'] },
];

/** Returns the reason that no rule with a star covers a command. */
export function dangerOfCommand(line: string, command: SimpleCommand): string | undefined {
  return dangerOf([{ type: 'command', command: line }]) ?? (command.ok ? codeInArguments(command.words) : undefined);
}

/** Returns words about an argument that names a program or holds code: a rule that leaves arguments open was not made for it. */
export function codeInArguments([program = '', ...rest]: readonly string[]): string | undefined {
  const name = program.split('/').at(-1) ?? '';
  const known = openings.flatMap((one) => (one.programs.split(' ').includes(name) ? one.arguments : []));
  // The module of `python -m` is part of the command itself.
  const found = rest.find((word) => known.some((start) => startsWith(word, start)) || holdsCode(name, word));
  return found === undefined ? undefined : `runs a program or code that its argument ${found} gives`;
}

/** Short options are often joined with their value, long ones by an equals sign. */
function startsWith(word: string, start: string): boolean {
  if (/[=.:]$/u.test(start) || /^-[A-Za-z]$/u.test(start)) return word.startsWith(start) && !word.startsWith('--');
  return word === start || word.startsWith(`${start}=`);
}

/** Make replaces what begins with a dollar sign, in any variable. */
function holdsCode(name: string, word: string): boolean {
  return (name === 'make' || name === 'gmake') && word.includes('$');
}
