import { createHash } from 'node:crypto';

/** Returns hex digits derived from the parts alone: the same export gives the same ids, on every machine. */
export function derivedHex(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Returns a UUID derived from the parts alone, marked as custom (version 8). */
export function derivedUuid(...parts: readonly (string | number)[]): string {
  const hex = derivedHex(...parts);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
