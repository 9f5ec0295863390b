import { diffArrays } from 'diff';
import { splitLines } from '../lines/lines.ts';
import type { TextSplice } from './text-splice.ts';
import { commonEnds } from './common-ends.ts';

// Myers' algorithm takes time in the square of what differs. A passage that differs in more is replaced from its first difference to
// its last, which is as right, only coarser.
const mostEdits = 1000;

/**
 * Returns the splices that make the second text of the first, in the order of the first: the lines that differ, in these the
 * words, and in these the characters. Never cuts a code point, nor `\r\n`.
 */
export function diffSplices(before: string, after: string): TextSplice[] {
  if (before === after) return [];
  let splices: TextSplice[] = [{ at: 0, delete: before.length, insert: after }];
  for (const split of [splitLines, splitWords, splitCharacters]) {
    const replacements = splices.filter(isReplacement).length;
    // The bound holds for all passages together.
    const limit = Math.floor(mostEdits / Math.sqrt(Math.max(1, replacements)));
    splices = splices.flatMap((splice) => (isReplacement(splice) ? refine(before, splice, split, limit) : [splice]));
  }
  return splices;
}

function splitWords(text: string): string[] {
  return text.match(/\r\n|[\p{L}\p{N}_]+|./gsu) ?? [];
}

function splitCharacters(text: string): string[] {
  return text.match(/\r\n|./gsu) ?? [];
}

function isReplacement({ delete: count, insert }: TextSplice): boolean {
  return count > 0 && insert !== '';
}

/** The same as one splice, with only those of its parts that differ. */
function refine(
  text: string,
  { at, delete: count, insert }: TextSplice,
  split: (text: string) => string[],
  limit: number,
): TextSplice[] {
  const [before, after] = [split(text.slice(at, at + count)), split(insert)];
  const { start, end } = commonEnds(before, after);
  const [old, young] = [before.slice(start, before.length - end), after.slice(start, after.length - end)];
  const splices: TextSplice[] = [];
  let place = at + before.slice(0, start).join('').length;
  let open: TextSplice | undefined;
  for (const { value, added, removed } of compare(old, young, limit)) {
    const part = value.join('');
    if (!added && !removed) {
      place += part.length;
      open = undefined;
      continue;
    }
    if (open === undefined) splices.push((open = { at: place, delete: 0, insert: '' }));
    if (added) {
      open.insert += part;
    } else {
      open.delete += part.length;
      place += part.length;
    }
  }
  return splices;
}

interface ComparedPart {
  value: string[];
  added: boolean;
  removed: boolean;
}

function compare(old: string[], young: string[], limit: number): ComparedPart[] {
  return (
    diffArrays(old, young, { maxEditLength: limit }) ?? [
      { value: old, added: false, removed: true },
      { value: young, added: true, removed: false },
    ]
  );
}
