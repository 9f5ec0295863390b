import { isAscii } from 'node:buffer';
import { constants, crc32, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/**
 * A text as it is kept, with a checksum that is looked at when it is unpacked. A long one is compressed; a short one is not, because
 * unpacking takes as long as reading ten of them, and a list of all conversations reads one of each.
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
  return decode(zstdDecompressSync(packed, { chunkSize: Math.max(unpackedLength(packed), leastChunk) }));
}

function plainText(packed: Uint8Array): string {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const text = bytes.subarray(plainStart);
  if (bytes.length < plainStart || bytes.readUInt32LE(1) !== crc32(text)) throw new Error('its checksum is wrong');
  return decode(text);
}

/** Decodes a text. Most are ASCII; reading them as such takes a third of the time. */
function decode(bytes: Buffer): string {
  return isAscii(bytes) ? bytes.toString('latin1') : bytes.toString();
}

/**
 * Returns the length of a text, as the header of a Zstandard frame says (RFC 8878, 3.1.1.1): unpacked data comes in chunks, and one large
 * enough for all of it saves joining them. Where the header does not say, or cannot be true, returns a usual length.
 */
function unpackedLength(packed: Uint8Array): number {
  const usual = packed.length * 8;
  const description = packed[4] ?? 0;
  const isSingleSegment = (description & 0x20) !== 0;
  const start = 5 + (isSingleSegment ? 0 : 1) + ([0, 1, 2, 4][description & 3] ?? 0);
  const size = [isSingleSegment ? 1 : 0, 2, 4, 8][description >> 6] ?? 0;
  let length = size === 2 ? 256 : 0;
  for (let at = 0; at < size; at += 1) length += (packed[start + at] ?? 0) * 256 ** at;
  // One byte more, or a chunk that is full might not be the last.
  return size === 0 || length > packed.length * mostRatio ? usual : length + 1;
}

const mostRatio = 1000;
const leastChunk = 1024;
const longestPlain = 1000;
// Nothing compressed begins with it. The checksum follows.
const plainMark = 0;
const plainStart = 5;
const params = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 };
