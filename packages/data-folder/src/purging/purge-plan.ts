import { renderBlockAsText } from '@loom/blocks';
import { blobReferences, rootCodec } from '@loom/kernel/logs';
import type { Forest } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import type { RootState } from '@loom/kernel';
import { allBlocks, emptyChanges, purgeChanges, relativesIn } from '@loom/kernel/purge';
import type { LogRewrite } from '@loom/stores/sqlite';
import type { Echo } from './echo-search.ts';
import { EchoSearch } from './echo-search.ts';

/** The logs of an open folder. */
export interface PurgedLogs {
  forest: Forest;
  store: Store;
}

/** What the person wants to be gone. */
export interface PurgeTarget {
  blocks: readonly string[];
  /** Conversations of which nothing shall be left. */
  roots: readonly string[];
}

/** What a purge would do. */
export interface PurgePlan {
  /** Conversations that are emptied and deleted as a whole. */
  roots: string[];
  /** The blocks that will say nothing any more: those that were named, and all that were copied from or to them. */
  blocks: string[];
  /** The nodes that they are in, by root. */
  nodes: Map<string, string[]>;
  logs: LogRewrite[];
  /** Blobs that nothing cites any more afterwards. */
  blobs: string[];
  /** What the blocks say, those of whole conversations left out: for people to see what will go. */
  texts: { block: string; text: string }[];
  /** What still says the same afterwards. */
  echoes: Echo[];
}

/** Finds out what has to go for some blocks to be gone, and what the logs will be. Changes nothing. */
export async function planPurge({ forest, store }: PurgedLogs, target: PurgeTarget): Promise<PurgePlan> {
  const whole = new Set(target.roots);
  const named = new Set(target.blocks);
  for (const root of whole) {
    for (const { block_id: id } of allBlocks(await forest.log(root).state())) if (id) named.add(id);
  }
  const blocks = await findRelatives(forest, named);
  const plan: PurgePlan = {
    roots: [...whole],
    blocks: [...blocks].sort(),
    nodes: new Map(),
    logs: [],
    blobs: [],
    texts: [],
    echoes: [],
  };
  const echoes = new EchoSearch(blocks);
  const cited = new Set<string>();
  const lost = new Set<string>();
  for (const root of await forest.roots()) {
    const contents = await store.read(root, 0);
    if (contents === undefined) continue;
    const changes = contents.records.flatMap(({ text }) => rootCodec.decode(text));
    const state = await forest.log(root).state();
    const purged = whole.has(root) ? emptyChanges(changes, state) : purgeChanges(changes, state, blocks);
    echoes.addGone(changes, purged);
    for (const blob of blobReferences(purged).mentioned) cited.add(blob);
    if (purged.every((change, index) => change === changes[index])) continue;
    for (const blob of blobReferences(changes).mentioned) lost.add(blob);
    const nodes = [...state.nodes.values()].filter((node) =>
      node.blocks.some(({ block_id: id }) => blocks.has(id ?? '')),
    );
    if (!whole.has(root)) plan.texts.push(...textsOf(state, blocks));
    plan.nodes.set(
      root,
      nodes.map(({ id }) => id),
    );
    plan.logs.push({
      log: root,
      epoch: contents.epoch,
      lastSeq: state.seq,
      records: rootCodec.encodeBatch(purged),
      ...rootCodec.formatOf(purged),
    });
  }
  for (const root of await forest.roots()) {
    if (whole.has(root)) continue;
    const contents = await store.read(root, 0);
    if (contents === undefined) continue;
    const changes = contents.records.flatMap(({ text }) => rootCodec.decode(text));
    const state = await forest.log(root).state();
    plan.echoes.push(...echoes.find(state, purgeChanges(changes, state, blocks)));
  }
  plan.blobs = [...lost].filter((blob) => !cited.has(blob)).sort();
  return plan;
}

function textsOf(state: RootState, blocks: ReadonlySet<string>): PurgePlan['texts'] {
  return allBlocks(state).flatMap((block) => {
    const { block_id: id = '' } = block;
    return blocks.has(id) ? [{ block: id, text: renderBlockAsText(block) }] : [];
  });
}

/** Copies are made across conversations too, so all of them are searched until no other one is found. */
async function findRelatives(forest: Forest, blocks: Set<string>): Promise<Set<string>> {
  for (let before = -1; before !== blocks.size;) {
    before = blocks.size;
    for (const root of await forest.roots()) {
      for (const block of relativesIn(await forest.log(root).state(), blocks)) blocks.add(block);
    }
  }
  return blocks;
}
