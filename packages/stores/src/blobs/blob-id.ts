import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';

/** The name of the bytes: `sha256:` and their hash in lower-case hex. */
export function blobId(bytes: Uint8Array): string {
  return blobIdOf(createHash('sha256').update(bytes));
}

/** The name of the bytes that were hashed. */
export function blobIdOf(sha256: Hash): string {
  return prefix + sha256.digest('hex');
}

/** The hash in a blob id; `undefined` for anything else, which names no blob and must never become a path. */
export function blobHash(id: string): string | undefined {
  return /^sha256:[0-9a-f]{64}$/u.test(id) ? id.slice(prefix.length) : undefined;
}

const prefix = 'sha256:';
