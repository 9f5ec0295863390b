/** A run of characters of one text document, by the ids under which they were inserted. */
export interface IdRange {
  readonly client: number;
  readonly clock: number;
  readonly length: number;
}

/** Adds a run to a list; one that goes on where the last one ends becomes part of it. */
export function pushRange(ranges: IdRange[], range: IdRange): void {
  const last = ranges.at(-1);
  if (last !== undefined && last.client === range.client && last.clock + last.length === range.clock) {
    ranges[ranges.length - 1] = { ...last, length: last.length + range.length };
  } else {
    ranges.push(range);
  }
}

/** The same characters, each of them once, in the order of their ids. */
export function sortRanges(ranges: readonly IdRange[]): IdRange[] {
  const sorted: IdRange[] = [];
  for (const range of [...ranges].sort((a, b) => a.client - b.client || a.clock - b.clock)) {
    const last = sorted.at(-1);
    const known = last?.client === range.client ? Math.max(0, last.clock + last.length - range.clock) : 0;
    const { client, clock, length } = range;
    if (known < length) pushRange(sorted, { client, clock: clock + known, length: length - known });
  }
  return sorted;
}
