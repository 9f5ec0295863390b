import { rootCodec } from '@loom/kernel';
import type { Change, LogRecord, RootOp } from '@loom/kernel';
import { purgeChanges, relativesIn } from '@loom/kernel/purge';
import type { LogRewrite } from '@loom/stores/sqlite';
import type { Loom } from '../runtime/open-loom.ts';
import { blobsIn } from './cited-blobs.ts';

/** What a purge would do. */
export interface PurgePlan {
  /** The blocks that will say nothing any more: those that were named, and all that were copied from or to them. */
  blocks: string[];
  /** The nodes that they are in, by root. */
  nodes: Map<string, string[]>;
  logs: LogRewrite[];
  /** Blobs that nothing cites any more afterwards. */
  blobs: string[];
}

/** Finds out what has to go for some blocks to be gone, and what the logs will be. Changes nothing. */
export async function planPurge(loom: Loom, named: Iterable<string>): Promise<PurgePlan> {
  const blocks = await findRelatives(loom, new Set(named));
  const plan: PurgePlan = { blocks: [...blocks].sort(), nodes: new Map(), logs: [], blobs: [] };
  const cited = new Set<string>();
  const lost = new Set<string>();
  for (const root of await loom.engine.forest.roots()) {
    const contents = await loom.store.read(root, 0);
    if (contents === undefined) continue;
    const changes = contents.records.flatMap(({ text }) => rootCodec.decode(text));
    const state = await loom.engine.forest.log(root).state();
    const purged = purgeChanges(changes, state, blocks);
    for (const blob of blobsIn(purged)) cited.add(blob);
    if (purged.every((change, index) => change === changes[index])) continue;
    for (const blob of blobsIn(changes)) lost.add(blob);
    const nodes = [...state.nodes.values()].filter((node) =>
      node.blocks.some(({ block_id: id }) => blocks.has(id ?? '')),
    );
    plan.nodes.set(
      root,
      nodes.map(({ id }) => id),
    );
    plan.logs.push({ log: root, epoch: contents.epoch, lastSeq: state.seq, records: inSegments(purged) });
  }
  plan.blobs = [...lost].filter((blob) => !cited.has(blob)).sort();
  return plan;
}

/** Copies are made across conversations too, so all of them are asked until nobody finds another one. */
async function findRelatives({ engine }: Loom, blocks: Set<string>): Promise<Set<string>> {
  for (let before = -1; before !== blocks.size;) {
    before = blocks.size;
    for (const root of await engine.forest.roots()) {
      const log = engine.forest.log(root);
      for (const block of relativesIn(await log.state(), blocks)) blocks.add(block);
    }
  }
  return blocks;
}

function inSegments(changes: readonly Change<RootOp>[]): LogRecord[] {
  const records: LogRecord[] = [];
  let group: Change<RootOp>[] = [];
  let size = 0;
  for (const change of changes) {
    group.push(change);
    size += rootCodec.encode(change).length;
    if (group.length < changesTogether && size < sizeTogether && change !== changes.at(-1)) continue;
    records.push({ seq: change.seq, text: rootCodec.encodeSegment(group) });
    [group, size] = [[], 0];
  }
  return records;
}

/** A record is read, and kept in memory, as a whole. In changes, and in UTF-16 units. */
const changesTogether = 200;
const sizeTogether = 1024 * 1024;
