import { forestLogName } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import { chainHash, chainStart } from './log-chain.ts';
import { walkLog } from './log-walk.ts';

/** The list of roots. */
export interface RootList {
  /** The listed roots, in their order. */
  roots: Set<string>;
  /** The last change of the list; 0 if there is none. */
  seq: number;
  /** The hash of the list after the first change. */
  origin: string | undefined;
}

export async function readListedRoots(store: Store): Promise<RootList> {
  const roots = new Set<string>();
  let last = 0;
  let origin: string | undefined;
  for await (const { records } of walkLog(store, forestLogName, 0)) {
    for (const { seq, ops, canonical } of records.flatMap(({ changes }) => changes)) {
      last = seq;
      origin ??= originOf(canonical);
      for (const op of ops) if (op.type === 'root-listed') roots.add(op.root);
    }
  }
  return { roots, seq: last, origin };
}

/** Returns the id that tells the list of roots of this store from those of others; `undefined` if it has none. */
export async function readOrigin(store: Store): Promise<string | undefined> {
  for await (const { records } of walkLog(store, forestLogName, 0, 1)) {
    for (const { changes } of records) for (const { canonical } of changes) return originOf(canonical);
  }
  return undefined;
}

function originOf(firstChange: string): string {
  return chainHash(chainStart(forestLogName).hash, firstChange);
}
