import type { Clock } from '@loom/kernel';
import { Forest, forestCodec, forestLogName } from '@loom/kernel/logs';
import type { Change, ForestOp } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import { adopter } from './adopt-root.ts';

/** A root, and the time it was created, in milliseconds since 1970. */
export interface ListedRoot {
  id: string;
  created: number;
}

/** Returns the roots that the forest lists, in their order. With a snapshot of the list, few of its changes are read. */
export async function findListed(store: Store, clock: Clock): Promise<Set<string>> {
  const forest = openForest(store, clock);
  try {
    return new Set(await forest.roots());
  } finally {
    forest.close();
  }
}

/** The forest of a store, for readers. */
export function openForest(store: Store, clock: Clock): Forest {
  return new Forest({ store, clock, ids: { next: refuseNewIds } });
}

function refuseNewIds(): never {
  throw new TypeError('adopting files makes no ids');
}

/** Copies the list of roots into a store that has none. */
export async function copyList(from: Store, to: Store): Promise<void> {
  const { changes } = await readList(from);
  await to.append(forestLogName, { epoch: undefined, expectedSeq: 0, records: forestCodec.encodeBatch(changes) });
}

/** Adds roots that the forest does not list after those that it does, in their order. */
export async function listRoots(store: Store, roots: readonly ListedRoot[]): Promise<void> {
  if (roots.length === 0) return;
  for (;;) {
    const { epoch, changes } = await readList(store);
    const listed = rootsIn(changes);
    const expectedSeq = changes.at(-1)?.seq ?? 0;
    const listing = roots
      .filter(({ id }) => !listed.has(id))
      .map(({ id, created: time }, index) => {
        const seq = expectedSeq + 1 + index;
        const ops = [{ type: 'root-listed' as const, root: id }];
        return { seq, time, agent: adopter, request: `adopt:${id}`, result: { root: id }, ops };
      });
    const records = forestCodec.encodeBatch(listing);
    if (records.length === 0 || (await store.append(forestLogName, { epoch, expectedSeq, records })).ok) return;
  }
}

async function readList(store: Store): Promise<{ epoch: string | undefined; changes: Change<ForestOp>[] }> {
  const contents = await store.read(forestLogName, 0);
  const changes = (contents?.records ?? []).flatMap(({ text }) => forestCodec.decode(text));
  return { epoch: contents?.epoch, changes };
}

function rootsIn(changes: readonly Change<ForestOp>[]): Set<string> {
  return new Set(changes.flatMap(({ ops }) => ops.flatMap((op) => (op.type === 'root-listed' ? op.root : []))));
}
