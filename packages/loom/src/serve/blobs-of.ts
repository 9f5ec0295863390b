import type { BlobPort } from '@loom/kernel';
import type { Store } from '@loom/kernel/store';

/** The blobs of a store, for those that need nothing else of it. */
export function blobsOf(store: Store): BlobPort {
  return { get: (id) => store.getBlob(id), put: (bytes) => store.putBlob(bytes) };
}
