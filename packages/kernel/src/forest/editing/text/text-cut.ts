import type { TextSplice } from '@loom/blocks';

/** A place in a sequence of texts: which one, and how many UTF-16 units into it. */
export interface Cut {
  block: number;
  offset: number;
}

/**
 * Finds the point where a new sequence of texts parts from the old one. Never inside a code point nor between `\r` and `\n`,
 * in neither of them; the end of the old one is always a possible point, because nothing is cut there.
 */
export function partingPoint(old: readonly string[], fresh: readonly string[]): Cut {
  let block = 0;
  while (block < old.length && block < fresh.length && old[block] === fresh[block]) block += 1;
  const [a, b] = [old[block], fresh[block]];
  if (a === undefined || b === undefined) return { block, offset: 0 };
  const shared = commonStart(a, b);
  const atEnd = shared === a.length && block === old.length - 1;
  return { block, offset: atEnd ? shared : safeOffset([a, b], shared) };
}

/** Returns the one replacement that makes one text of another: common parts at both ends are left alone. */
export function replacement(before: string, after: string): TextSplice {
  const start = safeOffset([before, after], commonStart(before, after));
  const limit = Math.min(before.length, after.length) - start;
  let end = 0;
  while (end < limit && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  while (end > 0 && [before, after].some((text) => isInside(text, text.length - end))) end -= 1;
  return { at: start, delete: before.length - end - start, insert: after.slice(start, after.length - end) };
}

function commonStart(a: string, b: string): number {
  let length = 0;
  while (length < a.length && length < b.length && a.charCodeAt(length) === b.charCodeAt(length)) length += 1;
  return length;
}

function safeOffset(texts: readonly string[], offset: number): number {
  let safe = offset;
  while (safe > 0 && texts.some((text) => isInside(text, safe))) safe -= 1;
  return safe;
}

/** Returns true if a place is between two units that belong together. */
function isInside(text: string, offset: number): boolean {
  const [before, after] = [text.charCodeAt(offset - 1), text.charCodeAt(offset)];
  const pair = before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff;
  return pair || (before === carriageReturn && after === lineFeed);
}

const carriageReturn = 0x0d;
const lineFeed = 0x0a;
