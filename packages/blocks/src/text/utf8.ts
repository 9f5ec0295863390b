import { unitAt } from './unit-at.ts';

/**
 * Returns the length of the text in UTF-8, in bytes; a lone surrogate counts as the three bytes of its replacement, U+FFFD.
 */
export function utf8Length(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index += 1) {
    const unit = unitAt(text, index);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // Both halves of a pair together take four bytes, which are two for each.
    if (isHigh(unit) && isLow(unitAt(text, index + 1))) index += 1;
  }
  return bytes;
}

/** The text in UTF-8; a lone surrogate becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  const bytes = new Uint8Array(utf8Length(text));
  let at = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    const scalar = isHigh(code) || isLow(code) ? 0xfffd : code;
    if (scalar < 0x80) {
      bytes[at++] = scalar;
      continue;
    }
    const more = scalar < 0x800 ? 1 : scalar < 0x10000 ? 2 : 3;
    // The first byte gives the number of bytes that follow, and holds the bits that do not fit into them.
    bytes[at++] = ((0xff << (7 - more)) & 0xff) | (scalar >> (6 * more));
    for (let rest = more - 1; rest >= 0; rest -= 1) bytes[at++] = 0x80 | ((scalar >> (6 * rest)) & 0x3f);
  }
  return bytes;
}

/** The beginning of a text, at most so many UTF-16 units, without half a surrogate pair at its end. */
export function beginningOf(text: string, length: number): string {
  const cut = isHigh(unitAt(text, length - 1)) && isLow(unitAt(text, length)) ? length - 1 : length;
  return text.slice(0, cut);
}

/** The end of a text, at most so many UTF-16 units, without half a surrogate pair at its beginning. */
export function endOf(text: string, length: number): string {
  const cut = Math.max(0, text.length - length);
  return text.slice(isLow(unitAt(text, cut)) && isHigh(unitAt(text, cut - 1)) ? cut + 1 : cut);
}

/** Returns true if a unit is the first half of a surrogate pair. */
export function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}

/** Returns true if a unit is the second half of a surrogate pair. */
export function isLow(unit: number): boolean {
  return unit >= 0xdc00 && unit <= 0xdfff;
}
