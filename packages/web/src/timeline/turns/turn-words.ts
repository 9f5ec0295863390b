import { oneLine } from '../../conversation/block-words.ts';
import type { BranchTurn } from '../../conversation/branch-turns.ts';
import { count, dollars, tokens } from '../../words/amounts.ts';
import { wholeSeconds } from '../../words/times.ts';

/** `18m 4s`, `41 tools`, `61k tokens`, `$1.22`, as far as they are known. Tokens out of a cache are left out: they were read before. */
export function turnFigures(turn: BranchTurn): string[] {
  const {
    duration_ms: time,
    tools,
    input_tokens: read = 0,
    cached_input_tokens: cached = 0,
    output_tokens: said = 0,
  } = turn;
  const used = Math.max(0, read - cached) + said;
  return [
    ...(time === undefined || time < 1000 ? [] : [wholeSeconds(time)]),
    ...(tools === 0 ? [] : [count(tools, 'tool')]),
    ...(used === 0 ? [] : [`${tokens(used)} tokens`]),
    ...(turn.cost_usd === undefined ? [] : [turn.cost_usd === 0 ? 'free' : dollars(turn.cost_usd)]),
  ];
}

/** `184k → 22k`, for a summary. */
export function summaryFigures({ tokens_before: before, tokens_after: after }: BranchTurn): string | undefined {
  return before === undefined || after === undefined ? undefined : `${tokens(before)} → ${tokens(after)}`;
}

/** `184k tokens became 22k` */
export function summaryWords({ tokens_before: before, tokens_after: after }: BranchTurn): string | undefined {
  return before === undefined || after === undefined ? undefined : `${tokens(before)} tokens became ${tokens(after)}`;
}

/** A turn in one line. */
export function turnWords({ kind, words }: BranchTurn): string {
  const line = oneLine(words);
  if (kind !== 'own') return line;
  return line === '' ? 'Continued on its own' : `Continued on its own: ${line}`;
}

/** The sums of all turns: `5 turns`, `1h 52m`, `$4.28`. */
export function sumOfTurns(turns: readonly BranchTurn[]): string[] {
  const time = turns.reduce((sum, { duration_ms: one = 0 }) => sum + one, 0);
  const calls = turns.filter(({ input_tokens: read }) => read !== undefined);
  const isPriced = calls.length > 0 && calls.every(({ cost_usd: cost }) => cost !== undefined);
  return [
    count(turns.filter(({ kind }) => kind === 'person').length, 'turn'),
    ...(time < 1000 ? [] : [wholeSeconds(time)]),
    ...(isPriced ? [dollars(calls.reduce((sum, { cost_usd: cost = 0 }) => sum + cost, 0))] : []),
  ];
}
