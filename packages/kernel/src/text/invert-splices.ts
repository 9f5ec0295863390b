import type { TextSplice } from '@loom/blocks';

/** Splices that make the old text, of which `slice` gives parts, of the new one. */
export function invertSplices(
  slice: (from: number, to: number) => string,
  splices: readonly TextSplice[],
): TextSplice[] {
  const [only, ...others] = splices;
  if (only === undefined) return [];
  if (others.length === 0) {
    return [{ at: only.at, delete: only.insert.length, insert: slice(only.at, only.at + only.delete) }];
  }
  let shift = 0;
  return [...splices]
    .sort((a, b) => a.at - b.at)
    .map(({ at, delete: count, insert }) => {
      const inverse = { at: at + shift, delete: insert.length, insert: slice(at, at + count) };
      shift += insert.length - count;
      return inverse;
    });
}
