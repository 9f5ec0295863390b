import type { TextSplice } from '@loom/blocks';
import { compareTexts } from './text-comparison.ts';

/**
 * What has to be done to `theirs` so that it also has what made `mine` of `base`: where both have changed the same, it is
 * done once; what one side has deleted is gone; of two inserts at one place theirs stands first.
 */
export function mergeTexts(base: string, mine: string, theirs: string): TextSplice[] {
  if (mine === base || mine === theirs) return [];
  const remote = compareTexts(base, theirs);
  return compareTexts(base, mine).flatMap((splice) => {
    const isDone = remote.some(
      ({ at, delete: count, insert }) => at === splice.at && count === splice.delete && insert === splice.insert,
    );
    return isDone ? [] : carrySplice(splice, remote);
  });
}

/** Where an offset of a text is after splices; at a place where something was inserted, behind that. */
export function carryOffset(offset: number, splices: readonly TextSplice[]): number {
  let shift = 0;
  for (const { at, delete: count, insert } of splices) {
    if (at > offset) continue;
    shift += insert.length - Math.min(count, offset - at);
  }
  return offset + shift;
}

/** A splice of the base as one or more of the text after the others: what they have deleted is not deleted again. */
function carrySplice({ at, delete: count, insert }: TextSplice, remote: readonly TextSplice[]): TextSplice[] {
  const pieces: TextSplice[] = [];
  let from = at;
  for (const other of remote) {
    // An insert of theirs inside what is deleted here stays.
    if (other.at + other.delete < from || other.at >= at + count) continue;
    if (other.at > from) pieces.push({ at: carryOffset(from, remote), delete: other.at - from, insert: '' });
    from = Math.max(from, other.at + other.delete);
  }
  if (at + count > from) pieces.push({ at: carryOffset(from, remote), delete: at + count - from, insert: '' });
  const [first, ...rest] = pieces;
  const place = carryOffset(at, remote);
  if (insert === '') return pieces;
  return first?.at === place ? [{ ...first, insert }, ...rest] : [{ at: place, delete: 0, insert }, ...pieces];
}
