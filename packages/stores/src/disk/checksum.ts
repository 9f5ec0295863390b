import { crc32 } from 'node:zlib';

/** The CRC-32 of some bytes, or of a text in UTF-8, as eight digits. */
export function checksum(content: string | Uint8Array): string {
  return crc32(content).toString(16).padStart(8, '0');
}
