import { sweepBlobs } from '../log/blob-sweep.ts';
import type { Store } from '../store.ts';

/**
 * Notes the blobs that are to go with some blocks, before the logs forget their names. A process that is killed before it has removed
 * them leaves the notes to the next purge, and to the upkeep of a served folder.
 */
export async function noteBlobs(store: Store, blobs: readonly string[]): Promise<void> {
  for (const blob of blobs) await store.lease(`${prefix}${blob}`, holder, keptFor);
}

/** Removes the noted blobs that no log cites. Rejects, and removes nothing, if a log cannot be read. */
export async function removeNotedBlobs(store: Store): Promise<void> {
  const notes = await store.leases(prefix);
  if (notes.length === 0) return;
  const among = new Set(notes.map(({ key }) => key.slice(prefix.length)));
  await sweepBlobs({ store, unusedFor: 0, among });
  for (const { key } of notes) await store.release(key, holder);
}

// Leases are the only notes of a store that can be listed.
const prefix = 'purge/';
const holder = 'purge';
/** Until then every sweep has found them, as blobs that nothing cites. */
const keptFor = 30 * 24 * 60 * 60 * 1000;
