import { crc32 } from 'node:zlib';

/** A checksum over what a node file says of its parent and children. */
export function linksSum(parent: unknown, children: unknown): string {
  return crc32(JSON.stringify([parent, children]) ?? '').toString(16);
}
