import type { ByteRange } from '@loom/kernel/store';

/** The first byte of a range and the one behind its last, of bytes of this length. Throws if no bytes could have such a range. */
export function boundsOf({ start = 0, end = Infinity }: ByteRange, length: number): { start: number; end: number } {
  for (const [name, value] of Object.entries({ start, end })) {
    if (value === Infinity || (Number.isSafeInteger(value) && value >= 0)) continue;
    throw new RangeError(`the ${name} of a range is a whole number from 0 on, not ${value}`);
  }
  const last = Math.min(end, length);
  return { start: Math.min(start, last), end: last };
}
