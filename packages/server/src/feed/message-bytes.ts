import type { RawData } from 'ws';

/** Returns the bytes of a message, in whatever way the socket hands them over. */
export function bytesOf(data: RawData): Uint8Array {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? new Uint8Array(data) : data;
}
