/** A stretch of a line; what differs from the other line is marked. */
export interface LinePart {
  readonly text: string;
  readonly isMarked: boolean;
}

/** Lines that have less than this part in common are other lines, and marks in them would say nothing. */
const leastInCommon = 0.3;

/** Two lines with marks on the words that differ: everything between their common beginning and their common end. */
export function wordMarks(
  before: string,
  after: string,
): { before: readonly LinePart[]; after: readonly LinePart[] } | undefined {
  const [one, other] = [wordsOf(before), wordsOf(after)];
  const most = Math.min(one.length, other.length);
  let start = 0;
  while (start < most && one[start] === other[start]) start += 1;
  let end = 0;
  while (end < most - start && one.at(-1 - end) === other.at(-1 - end)) end += 1;
  const inCommon = [...one.slice(0, start), ...one.slice(one.length - end)].join('').trim().length;
  if (inCommon < leastInCommon * Math.max(before.trim().length, after.trim().length)) return undefined;
  return { before: partsOf(one, start, end), after: partsOf(other, start, end) };
}

function wordsOf(line: string): string[] {
  return line.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

function partsOf(words: readonly string[], start: number, end: number): LinePart[] {
  const parts = [
    { text: words.slice(0, start).join(''), isMarked: false },
    { text: words.slice(start, words.length - end).join(''), isMarked: true },
    { text: words.slice(words.length - end).join(''), isMarked: false },
  ];
  return parts.filter(({ text }) => text !== '');
}
