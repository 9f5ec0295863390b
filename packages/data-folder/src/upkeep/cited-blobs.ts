import type { Change, ForestOp, RootOp } from '@loom/kernel/logs';

/** The blobs that changes cite, wherever in them. */
export function blobsIn(changes: readonly Change<RootOp | ForestOp>[]): Set<string> {
  const found = new Set<string>();
  for (const { ops } of changes) {
    const text = JSON.stringify(ops);
    // Most changes cite none, and looking for the word is quick.
    if (text.includes('sha256:')) for (const [blob] of text.matchAll(blobName)) found.add(blob);
  }
  return found;
}

const blobName = /sha256:[0-9a-f]{64}/gu;
