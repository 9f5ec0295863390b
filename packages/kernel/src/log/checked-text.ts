import { crc32, crc32OfAll } from '../state/crc32.ts';

/** A text behind its CRC-32 in hex and a space: readable with standard tools, and checked when it is read. */
export function withChecksum(text: string): string {
  return `${crc32(text)} ${text}`;
}

/** The same for a text in pieces: a long one is put together only once. */
export function joinWithChecksum(pieces: readonly string[]): string {
  return [crc32OfAll(pieces), ' ', ...pieces].join('');
}

/** The text behind a checksum, or `undefined` if it is not the one that was written. */
export function checkedText(text: string): string | undefined {
  return text[8] === ' ' && text.startsWith(crc32(text, 9)) ? text.slice(9) : undefined;
}
