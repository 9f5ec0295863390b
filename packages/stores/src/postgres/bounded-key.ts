import { createHash } from 'node:crypto';

/** A text as the key of a row: its UTF-8, or for a long one its beginning and a hash, since an index takes no long keys. */
export interface BoundedKey {
  key: Buffer;
  /** The whole text, if the key does not say it. */
  whole: Buffer | null;
}

/** The bytes of UTF-8 sort as code points do. Only texts that share their first 400 bytes may sort otherwise among each other. */
export function boundKey(text: string): BoundedKey {
  const bytes = Buffer.from(text);
  if (bytes.length < hashedLength) return { key: bytes, whole: null };
  const hash = createHash('sha256').update(bytes).digest();
  return { key: Buffer.concat([bytes.subarray(0, beginning), hash]), whole: bytes };
}

/** Returns the key alone. */
export function keyOf(text: string): Buffer {
  return boundKey(text).key;
}

/** Returns the text of a row that has a key and, if that is not the whole text, the whole. */
export function textOfKey(key: Buffer, whole: Buffer | null): string {
  return (whole ?? key).toString();
}

/** The keys of all texts with a prefix, and maybe of others: from the first on, up to the second where there is one. */
export function keyRange(prefix: string): { from: Buffer; before: Buffer | null } {
  const from = Buffer.from(prefix).subarray(0, beginning);
  if (from.length === 0) return { from, before: null };
  const before = Buffer.from(from);
  // No byte of UTF-8 is 255, so there always is a next one.
  before[before.length - 1] = (before.at(-1) ?? 0) + 1;
  return { from, before };
}

const beginning = 400;
const hashedLength = beginning + 32;
