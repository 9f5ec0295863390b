/** CRC-32 (IEEE 802.3) of the UTF-16 code units of a text, low byte first, as eight hex digits. */
export function crc32(text: string): string {
  let crc = -1;
  const even = text.length & ~1;
  // Two units, which are four bytes, at a time.
  for (let index = 0; index < even; index += 2) {
    const four = crc ^ (text.charCodeAt(index) | (text.charCodeAt(index + 1) << 16));
    crc =
      entry(768 + (four & 0xff)) ^
      entry(512 + ((four >>> 8) & 0xff)) ^
      entry(256 + ((four >>> 16) & 0xff)) ^
      entry(four >>> 24);
  }
  if (even < text.length) {
    const unit = text.charCodeAt(even);
    crc = (crc >>> 8) ^ entry((crc ^ unit) & 0xff);
    crc = (crc >>> 8) ^ entry((crc ^ (unit >>> 8)) & 0xff);
  }
  return ((crc ^ -1) >>> 0).toString(16).padStart(8, '0');
}

/** What one byte adds to the sum; behind it the same for a byte that one, two or three others follow. */
const table = new Int32Array(1024);
for (let byte = 0; byte < 256; byte += 1) {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  table[byte] = value;
}
for (let index = 256; index < 1024; index += 1) {
  const before = entry(index - 256);
  table[index] = (before >>> 8) ^ entry(before & 0xff);
}

function entry(index: number): number {
  return table[index] ?? 0;
}
