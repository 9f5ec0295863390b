/** Replaces the characters from `start` up to `end` by `insert`. */
export type Splice = { start: number; end: number; insert: string };

/** Applies splices that all address the same text and do not overlap. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  let result = text;
  for (const { start, end, insert } of splices.toSorted((left, right) => right.start - left.start)) {
    result = result.slice(0, start) + insert + result.slice(end);
  }
  return result;
}
