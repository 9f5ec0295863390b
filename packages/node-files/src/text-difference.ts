import type { TextSplice } from '@loom/blocks';

// Myers' algorithm takes time in the square of what differs. Beyond this everything between the first and the last difference is
// replaced, which is as right, only coarser.
const mostEdits = 1000;

/**
 * What makes one text of another, as splices of the first in their order: whole lines where they differ, in these the words and signs
 * that differ, and of these not what is the same at both ends. Never cuts a code point, nor `\r\n`.
 */
export function diffText(before: string, after: string): TextSplice[] {
  if (before === after) return [];
  return diffTokens(splitLines(before), splitLines(after)).flatMap((lines) =>
    isReplacement(lines) ? diffWords(before, lines) : [lines],
  );
}

function diffWords(before: string, { at, delete: count, insert }: TextSplice): TextSplice[] {
  const words = diffTokens(splitWords(before.slice(at, at + count)), splitWords(insert));
  return words.map((splice) => {
    const moved = { ...splice, at: splice.at + at };
    return isReplacement(moved) ? trimEnds(before, moved) : moved;
  });
}

function isReplacement({ delete: count, insert }: TextSplice): boolean {
  return count > 0 && insert !== '';
}

function trimEnds(before: string, { at, delete: count, insert }: TextSplice): TextSplice {
  const [old, fresh] = [splitCharacters(before.slice(at, at + count)), splitCharacters(insert)];
  const { start, end } = commonEnds(old, fresh);
  const left = fresh.slice(start, fresh.length - end).join('');
  return { at: at + lengthOf(old.slice(0, start)), delete: lengthOf(old.slice(start, old.length - end)), insert: left };
}

function splitLines(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}

function splitWords(text: string): string[] {
  return text.match(/\r\n|[\p{L}\p{N}_]+|./gsu) ?? [];
}

function splitCharacters(text: string): string[] {
  return text.match(/\r\n|./gsu) ?? [];
}

/** How much two sequences have in common at their beginnings and at their ends. */
function commonEnds(before: readonly string[], after: readonly string[]): { start: number; end: number } {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  return { start, end };
}

function diffTokens(before: readonly string[], after: readonly string[]): TextSplice[] {
  const { start, end } = commonEnds(before, after);
  const old = before.slice(start, before.length - end);
  const fresh = after.slice(start, after.length - end);
  const offset = lengthOf(before.slice(0, start));
  const kept = commonTokens(old, fresh) ?? [];
  const splices: TextSplice[] = [];
  let [from, place, at] = [0, 0, offset];
  for (const [a, b] of [...kept, [old.length, fresh.length] as const]) {
    const removed = lengthOf(old.slice(from, a));
    const insert = fresh.slice(place, b).join('');
    if (removed > 0 || insert !== '') splices.push({ at, delete: removed, insert });
    at += removed + (old[a]?.length ?? 0);
    [from, place] = [a + 1, b + 1];
  }
  return splices;
}

function lengthOf(tokens: readonly string[]): number {
  return tokens.reduce((length, token) => length + token.length, 0);
}

/** The places of a longest common subsequence in both, in order, or `undefined` if they differ in too much. */
function commonTokens(a: readonly string[], b: readonly string[]): [number, number][] | undefined {
  if (a.length === 0 || b.length === 0) return [];
  // What is reached furthest on each diagonal with so many edits.
  const rounds: Map<number, number>[] = [];
  let reached = new Map<number, number>([[1, 0]]);
  for (let edits = 0; edits <= mostEdits; edits += 1) {
    rounds.push(reached);
    const next = new Map<number, number>();
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      let x = stepFrom(reached, diagonal, edits);
      while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1;
      next.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return walkBack(rounds, edits, a.length, b.length);
    }
    reached = next;
  }
  return undefined;
}

function stepFrom(reached: ReadonlyMap<number, number>, diagonal: number, edits: number): number {
  const [left, right] = [reached.get(diagonal - 1) ?? -1, reached.get(diagonal + 1) ?? -1];
  return diagonal === -edits || (diagonal !== edits && left < right) ? right : left + 1;
}

function walkBack(rounds: readonly Map<number, number>[], last: number, x: number, y: number): [number, number][] {
  const kept: [number, number][] = [];
  for (let edits = last; edits >= 0; edits -= 1) {
    const reached = rounds[edits] ?? new Map<number, number>();
    const diagonal = x - y;
    const start = stepFrom(reached, diagonal, edits);
    while (x > start && x > 0 && y > 0) {
      x -= 1;
      y -= 1;
      kept.push([x, y]);
    }
    const isDown =
      diagonal === -edits ||
      (diagonal !== edits && (reached.get(diagonal - 1) ?? -1) < (reached.get(diagonal + 1) ?? -1));
    if (isDown) y -= 1;
    else x -= 1;
  }
  return kept.reverse();
}
