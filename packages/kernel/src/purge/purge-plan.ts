import { renderBlockAsText } from '@loom/blocks';
import type { Change } from '../change.ts';
import { blobReferences } from '../blob-references.ts';
import type { Forest } from '../forest/forest.ts';
import { rootOfId } from '../forest/reading/block-place.ts';
import { rootCodec } from '../log/codec/root-codec.ts';
import type { RootOp } from '../op.ts';
import { RootState } from '../state/root-state.ts';
import { isAboutOneLog } from '../store.ts';
import type { LogRewrite, Store } from '../store.ts';
import type { Echo } from './echo-search.ts';
import { EchoSearch } from './echo-search.ts';
import { keptLinesOf, namesElsewhere, SharedLines } from './kept-lines.ts';
import type { KeptLinesPort } from './kept-lines.ts';
import { allBlocks, emptyChanges, purgeChanges, relativesAmong } from './purge-changes.ts';

/** The logs that words are purged from. */
export interface PurgedLogs {
  forest: Forest;
  store: Store;
  copies: KeptLinesPort;
}

/** The content that the person wants to be gone. */
export interface PurgeTarget {
  blocks: readonly string[];
  /** Conversations to remove completely. */
  roots: readonly string[];
}

/** The effects of a purge. */
export interface PurgePlan {
  /** Conversations that are emptied and deleted as a whole. */
  roots: string[];
  /** The blocks that will say nothing: those that were named, and all that were copied from or to them. */
  blocks: string[];
  /** The nodes that they are in, by root. */
  nodes: Map<string, string[]>;
  logs: LogRewrite[];
  /** Blobs that only they cite. */
  blobs: string[];
  /** The texts of the blocks, without those of whole conversations: for people to see what will go. */
  texts: { block: string; text: string }[];
  /** The places that still say the same afterwards. */
  echoes: Echo[];
  /** Turns that are running in conversations that have to be rewritten. */
  live: { root: string; turns: string[] }[];
  /** Conversations that could not be looked into, because their logs cannot be read. */
  unread: string[];
}

/** Determines what has to go for some blocks to be gone, and the logs that will result. Changes nothing. */
export async function planPurge(logs: PurgedLogs, target: PurgeTarget): Promise<PurgePlan> {
  const whole = new Set(target.roots);
  const unread = new Set<string>();
  const blocks = await findRelatives(logs, target, unread);
  const plan: PurgePlan = {
    roots: [...whole],
    blocks: [...blocks].sort(),
    nodes: new Map(),
    logs: [],
    blobs: [],
    texts: [],
    echoes: [],
    live: [],
    unread: [],
  };
  const echoes = new EchoSearch(blocks);
  const lost = new Set<string>();
  const shared = new SharedLines(logs.copies);
  const purge = ({ root, changes, state }: ReadLog, losesLines = false): Change<RootOp>[] =>
    whole.has(root) ? emptyChanges(changes, state) : purgeChanges(changes, state, { blocks, losesLines });
  const touched = new Set([...whole, ...[...blocks].map(rootOfId)]);
  for (const root of touched) {
    // The caller hears of a log that has to be rewritten and cannot be read.
    const log = await readLog(logs.store, root);
    if (log === undefined) continue;
    const purged = purge(log);
    echoes.addGone(log.changes, purged);
    shared.add(log.state, namesElsewhere(log.state, whole.has(root) ? undefined : blocks));
    for (const blob of blobReferences(log.changes).mentioned) lost.add(blob);
    addToPlan(plan, log, { purged, blocks, isWhole: whole.has(root) });
  }
  const cited = new Set<string>();
  await eachRoot(logs.forest, unread, async (root) => {
    if (whole.has(root)) return;
    const log = await readLog(logs.store, root);
    if (log === undefined) return;
    let changes = touched.has(root) ? purge(log) : log.changes;
    if (!touched.has(root) && (await shared.areIn(log.state))) {
      changes = purge(log, true);
      for (const blob of keptLinesOf(log.state)) lost.add(blob);
      addToPlan(plan, log, { purged: changes, blocks, isWhole: false });
    }
    for (const blob of blobReferences(changes).mentioned) cited.add(blob);
    plan.echoes.push(...echoes.find(log.state, changes));
  });
  plan.blobs = [...lost].filter((blob) => !cited.has(blob)).sort();
  plan.unread = [...unread].sort();
  return plan;
}

/** A log with the state that it comes to. */
interface ReadLog {
  root: string;
  epoch: string;
  changes: Change<RootOp>[];
  state: RootState;
}

async function readLog(store: Store, root: string): Promise<ReadLog | undefined> {
  const contents = await store.read(root, 0);
  if (contents === undefined) return undefined;
  const changes = contents.records.flatMap(({ text }) => rootCodec.decode(text));
  // The state of these changes and no others: the state in memory may be ahead of the read.
  const state = new RootState(root);
  for (const change of changes) state.apply(change);
  return { root, epoch: contents.epoch, changes, state };
}

interface PurgedLog {
  purged: Change<RootOp>[];
  blocks: ReadonlySet<string>;
  isWhole: boolean;
}

function addToPlan(plan: PurgePlan, { root, epoch, state }: ReadLog, { purged, blocks, isWhole }: PurgedLog): void {
  if (state.liveTurns.size > 0) plan.live.push({ root, turns: [...state.liveTurns] });
  if (!isWhole) plan.texts.push(...textsOf(state, blocks));
  const nodes = [...state.nodes.values()].filter(
    (node) =>
      // The file of one with lines names where they were kept.
      node.note?.['lines'] !== undefined || node.blocks.some(({ block_id: id }) => blocks.has(id ?? '')),
  );
  plan.nodes.set(
    root,
    nodes.map(({ id }) => id),
  );
  const records = rootCodec.encodeBatch(purged);
  plan.logs.push({ log: root, epoch, lastSeq: state.seq, records, ...rootCodec.formatOf(purged) });
}

function textsOf(state: RootState, blocks: ReadonlySet<string>): PurgePlan['texts'] {
  return allBlocks(state).flatMap((block) => {
    const { block_id: id = '' } = block;
    return blocks.has(id) ? [{ block: id, text: renderBlockAsText(block) }] : [];
  });
}

/** Copies are made across conversations too, so the links of all of them are followed. */
async function findRelatives({ forest }: PurgedLogs, target: PurgeTarget, unread: Set<string>): Promise<Set<string>> {
  const named = new Set(target.blocks);
  const links: [string, string][] = [];
  for (const root of target.roots) {
    for (const { block_id: id } of allBlocks(await forest.log(root).state())) if (id !== undefined) named.add(id);
  }
  await eachRoot(forest, unread, async (root) => {
    for (const { block_id: id, from } of allBlocks(await forest.log(root).state())) {
      if (id !== undefined && from !== undefined) links.push([id, from.block]);
    }
  });
  return relativesAmong(links, named);
}

/** Visits all conversations; one that cannot be read is remembered, and keeps none of the others from being visited. */
async function eachRoot(forest: Forest, unread: Set<string>, visit: (root: string) => Promise<void>): Promise<void> {
  for (const root of await forest.roots()) {
    try {
      await visit(root);
    } catch (error) {
      if (!isAboutOneLog(error)) throw error;
      unread.add(root);
    }
  }
}
