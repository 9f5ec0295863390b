import { blobHash } from '../blobs/blob-id.ts';

/**
 * The blobs that a value refers to: every `blob` in it, however deep, that is the id of one. `text` is the same value as JSON, if
 * that is at hand: most say at a glance that there is none.
 */
export function citedBlobs(value: unknown, text?: string): Set<string> {
  const found = new Set<string>();
  if (text === undefined || text.includes('sha256:')) collect(value, found);
  return found;
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, field] of Object.entries(value)) {
    if (key === 'blob' && typeof field === 'string' && blobHash(field) !== undefined) found.add(field);
    else collect(field, found);
  }
}
