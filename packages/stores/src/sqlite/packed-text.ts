import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** A text as it is kept: compressed, with a checksum that is looked at when it is unpacked. */
export function packText(text: string): Uint8Array {
  return zstdCompressSync(text, { params });
}

export function unpackText(packed: Uint8Array): string {
  return zstdDecompressSync(packed).toString();
}

const params = { [constants.ZSTD_c_compressionLevel]: 3, [constants.ZSTD_c_checksumFlag]: 1 };
