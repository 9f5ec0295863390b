import { createHash } from 'node:crypto';

/** Hex digits that follow from the parts alone: the same export gives the same ids, on every machine. */
export function derivedHex(...parts: readonly (string | number)[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** A UUID that follows from the parts alone. It says of itself that it is one of an own making (version 8). */
export function derivedUuid(...parts: readonly (string | number)[]): string {
  const hex = derivedHex(...parts);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
