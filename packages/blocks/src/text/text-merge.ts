import type { TextSplice } from './text-splice.ts';
import { diffSplices } from './text-difference.ts';

/**
 * Carries an edit of an older text, `base` to `edited`, over to `current`, the newer form of that text, as splices of
 * `current`. Nothing that came meanwhile is deleted; changes made on both sides are made once. Text that arrives at one
 * place from both stands with the edit's first: an answer that goes on streaming stays behind a note at its end.
 */
export function mergeText(base: string, current: string, edited: string): TextSplice[] {
  if (edited === current) return [];
  const theirs = diffSplices(base, edited);
  if (base === current) return theirs;
  const ours = diffSplices(base, current);
  const merged: TextSplice[] = [];
  let [first, shift] = [0, 0];
  for (const splice of theirs) {
    for (let own = ours[first]; own !== undefined && isBefore(own, splice.at); own = ours[first]) {
      shift += growthOf(own);
      first += 1;
    }
    if (!isAmong(splice, ours, first)) merged.push(...carry(splice, ours, first, shift));
  }
  return merged;
}

/**
 * Returns true if a splice ends before a place. An insert at the very place does not: it stays behind text that is put
 * there.
 */
function isBefore(splice: TextSplice, place: number): boolean {
  const end = splice.at + splice.delete;
  return end < place || (end === place && splice.delete > 0);
}

function growthOf({ delete: count, insert }: TextSplice): number {
  return insert.length - count;
}

function isAmong({ at, delete: count, insert }: TextSplice, ours: readonly TextSplice[], first: number): boolean {
  for (let index = first, own = ours[index]; own !== undefined && own.at <= at; own = ours[(index += 1)])
    if (own.at === at && own.delete === count && own.insert === insert) return true;
  return false;
}

/**
 * Carries a splice of the base over to the text that `ours` made of it: the rest of its range is deleted, piece by piece.
 * Those of `ours` before the `first` end before it, and have moved it by `moved`.
 */
function carry(
  { at, delete: count, insert }: TextSplice,
  ours: readonly TextSplice[],
  first: number,
  moved: number,
): TextSplice[] {
  const end = at + count;
  const carried: TextSplice[] = [];
  let [position, shift] = [at, moved];
  let place: number | undefined;
  const take = (to: number): void => {
    if (to > position) carried.push({ at: position + shift, delete: to - position, insert: '' });
    position = Math.max(position, to);
  };
  for (let index = first, own = ours[index]; own !== undefined; own = ours[(index += 1)]) {
    // Within a range that is gone already, the edit goes behind what took its place.
    place ??= own.at < at ? own.at + shift + own.insert.length : at + shift;
    if (own.at >= end) break;
    take(Math.min(own.at, end));
    position = Math.max(position, Math.min(own.at + own.delete, end));
    shift += growthOf(own);
  }
  take(end);
  place ??= at + shift;
  if (insert === '') return carried;
  const [head, ...rest] = carried;
  return head?.at === place ? [{ ...head, insert }, ...rest] : [{ at: place, delete: 0, insert }, ...carried];
}
