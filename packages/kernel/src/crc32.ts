/** CRC-32 (IEEE 802.3) of the UTF-16 code units of a text, low byte first, as eight hex digits. */
export function crc32(text: string): string {
  let crc = -1;
  for (let index = 0; index < text.length; index += 1) {
    const unit = text.charCodeAt(index);
    crc = (crc >>> 8) ^ (table[(crc ^ unit) & 0xff] ?? 0);
    crc = (crc >>> 8) ^ (table[(crc ^ (unit >>> 8)) & 0xff] ?? 0);
  }
  return ((crc ^ -1) >>> 0).toString(16).padStart(8, '0');
}

const table = Int32Array.from({ length: 256 }, (_, byte) => {
  let value = byte;
  for (let bit = 0; bit < 8; bit += 1) value = value & 1 ? (value >>> 1) ^ 0xedb88320 : value >>> 1;
  return value;
});
