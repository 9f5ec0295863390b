import { crc32 } from 'node:zlib';

/** Returns a checksum over a node file's parent and children. */
export function linksSum(parent: unknown, children: unknown): string {
  return crc32(JSON.stringify([parent, children]) ?? '').toString(16);
}
