import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';

/** A long text as it is kept: compressed. It carries its own checksum inside, which is looked at whenever it is read. */
export function packText(text: string): Uint8Array {
  return zstdCompressSync(text, { params: { [constants.ZSTD_c_compressionLevel]: 3 } });
}

export function unpackText(packed: Uint8Array): string {
  return zstdDecompressSync(packed).toString();
}
