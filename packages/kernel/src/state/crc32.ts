import { unitAt } from '@loom/blocks';

/** CRC-32 (IEEE 802.3) of the UTF-16 code units of a text from an offset on, low byte first, as eight hex digits. */
export function crc32(text: string, from = 0): string {
  return hex(sum(-1, text, from));
}

/** The same of texts as if they were one. */
export function crc32OfAll(texts: readonly string[]): string {
  return hex(texts.reduce((crc, text) => sum(crc, text, 0), -1));
}

function sum(before: number, text: string, from: number): number {
  let crc = before;
  let index = from;
  // Eight units at a time. The high bytes of most are zero, and zeros add nothing but to the first four bytes.
  for (const end = text.length - 7; index < end; index += 8) {
    const a = unitAt(text, index) | (unitAt(text, index + 1) << 16);
    const b = unitAt(text, index + 2) | (unitAt(text, index + 3) << 16);
    const c = unitAt(text, index + 4) | (unitAt(text, index + 5) << 16);
    const d = unitAt(text, index + 6) | (unitAt(text, index + 7) << 16);
    const first = crc ^ a;
    crc =
      entry(15, first) ^
      entry(14, first >>> 8) ^
      entry(13, first >>> 16) ^
      entry(12, first >>> 24) ^
      entry(11, b) ^
      entry(9, b >>> 16) ^
      entry(7, c) ^
      entry(5, c >>> 16) ^
      entry(3, d) ^
      entry(1, d >>> 16);
    if (((b | c | d) & 0xff00ff00) !== 0) {
      crc ^=
        entry(10, b >>> 8) ^
        entry(8, b >>> 24) ^
        entry(6, c >>> 8) ^
        entry(4, c >>> 24) ^
        entry(2, d >>> 8) ^
        entry(0, d >>> 24);
    }
  }
  for (; index < text.length; index += 1) {
    const unit = unitAt(text, index);
    crc = (crc >>> 8) ^ entry(0, crc ^ unit);
    crc = (crc >>> 8) ^ entry(0, crc ^ (unit >>> 8));
  }
  return crc;
}

function hex(crc: number): string {
  return ((crc ^ -1) >>> 0).toString(16).padStart(8, '0');
}

/** The contribution of one byte to the sum; behind it the same for a byte that one to fifteen others follow. */
const table = new Int32Array(16 * 256);
for (let byte = 0; byte < 256; byte += 1) {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  table[byte] = value;
}
for (let index = 256; index < table.length; index += 1) {
  const before = table[index - 256] ?? 0;
  table[index] = (before >>> 8) ^ entry(0, before);
}

/** Returns the contribution of the low byte of a number if so many bytes follow it. */
function entry(following: number, byte: number): number {
  return table[following * 256 + (byte & 0xff)] ?? 0;
}
