import type { TextSplice } from '@loom/blocks';
import { diffText } from './text-difference.ts';

/**
 * What an edit of an older text, `base` to `edited`, does to what that text has become meanwhile, as splices of `current`. Nothing
 * that came meanwhile is deleted; what both did is done once. Text that arrives at one place from both stands with the edit's first:
 * an answer that goes on streaming stays behind a note at its end.
 */
export function mergeText(base: string, current: string, edited: string): TextSplice[] {
  if (edited === current) return [];
  const theirs = diffText(base, edited);
  if (base === current) return theirs;
  const ours = diffText(base, current);
  return theirs.flatMap((splice) => (ours.some((own) => isSame(own, splice)) ? [] : carry(splice, ours)));
}

function isSame(a: TextSplice, b: TextSplice): boolean {
  return a.at === b.at && a.delete === b.delete && a.insert === b.insert;
}

/** A splice of the base as splices of what `ours` made of it: what is left of its range is deleted, piece by piece. */
function carry({ at, delete: count, insert }: TextSplice, ours: readonly TextSplice[]): TextSplice[] {
  const end = at + count;
  const carried: TextSplice[] = [];
  let [position, shift] = [at, 0];
  let place: number | undefined;
  const take = (to: number): void => {
    if (to > position) carried.push({ at: position + shift, delete: to - position, insert: '' });
    position = Math.max(position, to);
  };
  for (const own of ours) {
    const ownEnd = own.at + own.delete;
    const growth = own.insert.length - own.delete;
    // An insert at the very place of this one stays behind it.
    if (ownEnd < at || (ownEnd === at && own.delete > 0)) {
      shift += growth;
      continue;
    }
    // Within a range that is gone already, the edit goes behind what took its place.
    place ??= own.at < at ? own.at + shift + own.insert.length : at + shift;
    if (own.at >= end) break;
    take(Math.min(own.at, end));
    position = Math.max(position, Math.min(ownEnd, end));
    shift += growth;
  }
  take(end);
  place ??= at + shift;
  if (insert === '') return carried;
  const first = carried[0];
  if (first !== undefined && first.at === place) return [{ ...first, insert }, ...carried.slice(1)];
  return [{ at: place, delete: 0, insert }, ...carried];
}
