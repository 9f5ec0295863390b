import type { PermissionRule } from '@loom/kernel';
import type { Random } from '@loom/kernel/testing';
import { readSimpleCommand } from '../../command-line/simple-command.ts';
import type { SimpleCommand } from '../../command-line/simple-command.ts';
import { offeredRule } from '../../shell/offered-rule.ts';
import { judgeLines } from '../../testing/bash-judge.ts';
import { trickyLine } from '../../testing/tricky-lines.ts';
import { decidePermission } from '../decide-permission.ts';

/** The parts that a fault may be planted in. */
export interface LineParts {
  read: (line: string) => SimpleCommand;
  /** The rule that "always" stores for a command. */
  offer: (words: readonly string[]) => PermissionRule;
}

export const realLines: LineParts = { read: readSimpleCommand, offer: (words) => offeredRule(words, false) };

/** The outcome of trials: the calls that ran, and those that should have asked. */
export interface Trials {
  ran: number;
  wrong: string[];
}

const allow = (command: string): PermissionRule => ({ tool: 'shell', command, effect: 'allow' });
const rules: readonly PermissionRule[] = [
  allow('git log *'),
  allow('npm run build *'),
  allow('npm test'),
  allow('prog *'),
  { tool: 'shell', command: 'git push *', effect: 'deny' },
  { tool: 'shell', command: 'prog push *', effect: 'deny' },
];

function isCovered([program, first, second, ...rest]: readonly string[]): boolean {
  if (program === 'git') return first === 'log';
  if (program === 'npm' && first === 'test') return second === undefined && rest.length === 0;
  if (program === 'npm') return first === 'run' && second === 'build';
  return program === 'prog' && first !== 'push';
}

/** Holds lines with tricks of the shell that run unasked against what bash itself would run. */
export function tryLines(random: Random, count: number, directory: string, { read }: LineParts): Trials {
  const lines = Array.from({ length: count }, () => trickyLine(random));
  const judged = judgeLines(lines, directory);
  const trials: Trials = { ran: 0, wrong: [] };
  for (const [index, line] of lines.entries()) {
    if (!runs(read(line), rules)) continue;
    trials.ran += 1;
    const programs = judged[index] ?? [];
    const [words = []] = programs;
    if (programs.length !== 1 || !isCovered(words))
      trials.wrong.push(`${JSON.stringify(line)} runs ${programs.map((each) => each.join(' ')).join(' and ')}`);
  }
  return trials;
}

/** Stores the rule that is shown for one line, and holds what it lets run then against the words that bash reads in the rule as it is shown. */
export function tryAlways(random: Random, count: number, directory: string, { read, offer }: LineParts): Trials {
  const pairs: { rule: string; line: string }[] = [];
  while (pairs.length < count) {
    const line = trickyLine(random);
    const command = read(line);
    if (!command.ok) continue;
    const rule = offer(command.words);
    for (const other of [line, `${line} more`, trickyLine(random), likeIt(random, line)]) {
      if (runs(read(other), [rule])) pairs.push({ rule: rule.command ?? '', line: other });
    }
  }
  const shown = judgeLines(
    pairs.map(({ rule }) => rule.replace(/ \*$/u, '')),
    directory,
  );
  const judged = judgeLines(
    pairs.map(({ line }) => line),
    directory,
  );
  const wrong = pairs.flatMap(({ rule, line }, index) => {
    const [[words = []] = []] = [shown[index]];
    const [[given = [], ...more] = []] = [judged[index]];
    const hasWords = words.every((word, at) => given[at] === word);
    const isAll = rule.endsWith(' *') || given.length === words.length;
    return more.length === 0 && hasWords && isAll && words.length > 0
      ? []
      : [`${rule} lets run ${JSON.stringify(line)}`];
  });
  return { ran: pairs.length, wrong };
}

/** Returns a line with one word left out or doubled. */
function likeIt(random: Random, line: string): string {
  const words = line.split(' ');
  const at = random.below(words.length);
  return words.flatMap((word, index) => (index === at ? (random.chance(0.5) ? [] : [word, word]) : [word])).join(' ');
}

function runs(command: SimpleCommand, known: readonly PermissionRule[]): boolean {
  const { permission } = decidePermission({
    tool: 'shell',
    effect: 'runs',
    mode: 'ask',
    directory: '/code/app',
    command,
    rules: known.map((rule, index) => ({ id: `${index}`, rule })),
    allowed: [],
    isSandboxed: true,
  });
  return permission === 'run';
}
