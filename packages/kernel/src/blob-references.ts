/** The blobs that a value has to do with. */
export interface BlobReferences {
  /** Those whose bytes belong to it. */
  cited: Set<string>;
  /** Blobs whose names occur anywhere in it, even in the words of a message; includes the cited ones. A named blob is not removed. */
  mentioned: Set<string>;
}

/**
 * Finds the blobs that ops, blocks or anything else made of them refer to: every `blob` that is the id of one, however deep, and the states of a
 * file before and after a change. `text` is the same value as JSON, if that is at hand.
 */
export function blobReferences(value: unknown, text: string = JSON.stringify(value) ?? ''): BlobReferences {
  const references = { cited: new Set<string>(), mentioned: blobsMentioned(text) };
  // Most values show at a glance that they hold none.
  if (references.mentioned.size > 0) collect(value, references.cited);
  return references;
}

/** The blobs that a text names. Images of containers are named in the same way, so not all of them need exist. */
export function blobsMentioned(text: string): Set<string> {
  return text.includes('sha256:') ? new Set(text.match(blobName)) : new Set();
}

function collect(value: unknown, cited: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  const isFile = 'path' in value;
  for (const [key, field] of Object.entries(value)) {
    const isReference = key === 'blob' || (isFile && (key === 'before' || key === 'after'));
    if (isReference && typeof field === 'string' && wholeName.test(field)) cited.add(field);
    else collect(field, cited);
  }
}

const blobName = /sha256:[0-9a-f]{64}/gu;
const wholeName = /^sha256:[0-9a-f]{64}$/u;
