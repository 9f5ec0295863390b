import { keptStore } from '../../stores/kept-store.ts';
import type { Store } from '../../stores/store.ts';
import type { HistoryStep } from '../history/history-steps.ts';

/** The changes of others that the reader has accepted: all up to a version, and further ones by their last version. */
export interface KeptChanges {
  readonly upTo: number;
  readonly versions: readonly number[];
}

const stores = new Map<string, Store<KeptChanges>>();

/** Returns what the reader has accepted in a text, kept in this browser. */
export function keptChanges(block: string): Store<KeptChanges> {
  const store =
    stores.get(block) ??
    keptStore<KeptChanges>(localStorage, `loom-kept-changes ${block}`, {
      read: readKept,
      otherwise: { upTo: 0, versions: [] },
    });
  stores.set(block, store);
  return store;
}

function readKept(value: unknown): KeptChanges | undefined {
  if (typeof value !== 'object' || value === null || !('upTo' in value) || !('versions' in value)) return undefined;
  const { upTo, versions } = value;
  if (typeof upTo !== 'number' || !Array.isArray(versions)) return undefined;
  return { upTo, versions: versions.filter((version) => typeof version === 'number') };
}

/** Returns the steps of others that wait for the reader: each can be accepted, or taken back. */
export function openChanges(
  steps: readonly HistoryStep[],
  reader: string,
  { upTo, versions }: KeptChanges,
): readonly HistoryStep[] {
  return steps.filter(
    ({ agent, version, edit }) =>
      agent !== reader && version > upTo && !versions.includes(version) && (edit === 'done' || edit === 'undone'),
  );
}
