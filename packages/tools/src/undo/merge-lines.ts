import { diffTexts } from '@loom/blocks/patch';

/** A run of lines of the base, and the lines that came instead. */
interface LineChange {
  start: number;
  end: number;
  lines: readonly string[];
}

/**
 * Merges two changes of a text, line by line. Returns `undefined` where both changed the same lines, or lines that touch, in different ways.
 */
export function mergeLines(base: string, ours: string, theirs: string): string | undefined {
  const left = lineChanges(base, ours);
  const right = lineChanges(base, theirs);
  const merged: LineChange[] = [];
  let [at, other] = [0, 0];
  for (;;) {
    const one = left[at];
    const two = right[other];
    if (one === undefined && two === undefined) break;
    if (one !== undefined && two !== undefined && touch(one, two)) {
      if (!isSame(one, two)) return undefined;
      merged.push(one);
      at += 1;
      other += 1;
    } else if (two === undefined || (one !== undefined && one.start <= two.start)) {
      if (one !== undefined) merged.push(one);
      at += 1;
    } else {
      merged.push(two);
      other += 1;
    }
  }
  const baseLines = splitText(base);
  const result: string[] = [];
  let next = 0;
  for (const { start, end, lines } of merged) {
    result.push(...baseLines.slice(next, start), ...lines);
    next = end;
  }
  return [...result, ...baseLines.slice(next)].join('');
}

function touch(one: LineChange, two: LineChange): boolean {
  return one.start <= two.end && two.start <= one.end;
}

function isSame(one: LineChange, two: LineChange): boolean {
  return one.start === two.start && one.end === two.end && one.lines.join('') === two.lines.join('');
}

/** Returns the changes that lead from one text to the other, in order, without the lines around them. */
function lineChanges(base: string, updated: string): LineChange[] {
  const changes: LineChange[] = [];
  for (const { oldStart, lines } of diffTexts(base, updated)) {
    let line = oldStart - 1;
    let current: { start: number; end: number; lines: string[] } | undefined;
    for (const [index, entry] of lines.entries()) {
      if (entry.startsWith('\\')) continue;
      const isLast = lines[index + 1]?.startsWith('\\') === true;
      if (entry.startsWith(' ')) {
        current = undefined;
        line += 1;
        continue;
      }
      if (current === undefined) changes.push((current = { start: line, end: line, lines: [] }));
      if (entry.startsWith('-')) current.end = line += 1;
      else current.lines.push(`${entry.slice(1)}${isLast ? '' : '\n'}`);
    }
  }
  return changes;
}

function splitText(text: string): string[] {
  return text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
}
