import { isAscii } from 'node:buffer';
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/**
 * A text as it is kept, with a checksum that is looked at when it is unpacked. A long one is compressed; a short one is not, because
 * unpacking takes as long as reading ten of them, and who lists all conversations reads one of each.
 */
export function packText(text: string): Uint8Array {
  if (text.length > longestPlain) return zstdCompressSync(text, { params });
  const bytes = Buffer.alloc(plainStart + Buffer.byteLength(text));
  bytes.write(text, plainStart);
  bytes.writeUInt32LE(crc32(bytes.subarray(plainStart)), 1);
  return bytes;
}

/** Throws if it is damaged. */
export function unpackText(packed: Uint8Array): string {
  if (packed[0] === plainMark) return plainText(packed);
  return decode(zstdDecompressSync(packed, { chunkSize: Math.max(packed.length * usualRatio, leastChunk) }));
}

function plainText(packed: Uint8Array): string {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const text = bytes.subarray(plainStart);
  if (bytes.length < plainStart || bytes.readUInt32LE(1) !== crc32(text)) throw new Error('its checksum is wrong');
  return decode(text);
}

/** Most texts are ASCII; reading them as such takes a third of the time. */
function decode(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : bytes.toString();
}

/** What is unpacked comes in chunks, and one that holds everything saves putting them together: so much longer are most texts. */
const usualRatio = 16;
const leastChunk = 16 * 1024;
const longestPlain = 1000;
// Nothing compressed begins with it. The checksum follows.
const plainMark = 0;
const plainStart = 5;
const params = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 };
