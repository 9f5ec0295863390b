/** CRC-32 (IEEE 802.3) of the UTF-16 code units of a text from an offset on, low byte first, as eight hex digits. */
export function crc32(text: string, from = 0): string {
  let crc = -1;
  let index = from;
  // Four units, which are eight bytes, at a time.
  for (const end = text.length - 3; index < end; index += 4) {
    const first = crc ^ (text.charCodeAt(index) | (text.charCodeAt(index + 1) << 16));
    const second = text.charCodeAt(index + 2) | (text.charCodeAt(index + 3) << 16);
    crc =
      entry(1792 + (first & 0xff)) ^
      entry(1536 + ((first >>> 8) & 0xff)) ^
      entry(1280 + ((first >>> 16) & 0xff)) ^
      entry(1024 + (first >>> 24)) ^
      entry(768 + (second & 0xff)) ^
      entry(512 + ((second >>> 8) & 0xff)) ^
      entry(256 + ((second >>> 16) & 0xff)) ^
      entry(second >>> 24);
  }
  for (; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    crc = (crc >>> 8) ^ entry((crc ^ unit) & 0xff);
    crc = (crc >>> 8) ^ entry((crc ^ (unit >>> 8)) & 0xff);
  }
  return ((crc ^ -1) >>> 0).toString(16).padStart(8, '0');
}

/** What one byte adds to the sum; behind it the same for a byte that one to seven others follow. */
const table = new Int32Array(2048);
for (let byte = 0; byte < 256; byte += 1) {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  table[byte] = value;
}
for (let index = 256; index < 2048; index += 1) {
  const before = entry(index - 256);
  table[index] = (before >>> 8) ^ entry(before & 0xff);
}

function entry(index: number): number {
  return table[index] ?? 0;
}
