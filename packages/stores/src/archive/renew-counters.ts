import type { MessageBlock } from '@loom/blocks';
import { isTreeOp, rootCodec } from '@loom/kernel/logs';
import type { Change, RootOp } from '@loom/kernel/logs';
import { StoreError } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { highestClientId } from '../client-numbers.ts';
import { counterJump, raiseCounters } from '../raised-counters.ts';
import { raiseClientIds } from './client-ids.ts';
import { readListedRoots } from './listed-roots.ts';
import type { AnyOp } from './log-record.ts';
import { walkLog } from './log-walk.ts';

export interface RenewOptions {
  store: Store;
  /** Tells this renewal from others of the same logs. */
  id: string;
}

/**
 * Makes sure that a restored store never gives out ids again that were given out after the backup: nodes and blocks of all roots count on
 * from a million further, and so do clients. Done once, before any other write.
 */
export async function renewCounters({ store, id }: RenewOptions): Promise<void> {
  const roots = new Map<string, UsedIds>();
  const agents = new Set<string>();
  let client = 1;
  for (const root of (await readListedRoots(store)).roots) {
    const used = await findUsedIds(store, root);
    if (used === undefined) continue;
    roots.set(root, used);
    client = Math.max(client, used.client);
    for (const agent of used.blocks.keys()) agents.add(agent);
  }
  for (const [root, used] of roots) {
    // An agent that wrote in one conversation may have begun to write in another after the backup.
    const blocks = [...agents].map((agent) => [agent, (used.blocks.get(agent) ?? 0) + counterJump] as const);
    const ops = [raiseCounters({ node: used.node + counterJump, blocks: new Map(blocks) })];
    const change: Change<RootOp> = {
      seq: used.seq + 1,
      // Nothing was said: the last topic stays the last one.
      time: used.time,
      agent: 'importer',
      request: `restore:${id}`,
      result: null,
      ops,
    };
    const records = [{ seq: change.seq, text: rootCodec.encode(change) }];
    const { ok } = await store.append(root, { epoch: used.epoch, expectedSeq: used.seq, records, head: 'same' });
    if (!ok) throw interrupted(root);
  }
  await raiseClientIds(store, client + counterJump);
}

function interrupted(root: string): StoreError {
  return new StoreError(
    'store-locked',
    `another process wrote to ${root} while it was being restored`,
    'End the other processes that use this store, then do it again.',
  );
}

/** The highest numbers in the ids of a log, and where it ends. */
interface UsedIds {
  epoch: string;
  seq: number;
  time: number;
  node: number;
  blocks: Map<string, number>;
  client: number;
}

async function findUsedIds(store: Store, root: string): Promise<UsedIds | undefined> {
  let used: UsedIds | undefined;
  for await (const { epoch, records } of walkLog(store, root, 0)) {
    used ??= { epoch, seq: 0, time: 0, node: 0, blocks: new Map(), client: 1 };
    for (const { seq, time, ops } of records.flatMap(({ changes }) => changes)) {
      used.seq = seq;
      used.time = time;
      used.client = Math.max(used.client, highestClientId(ops));
      for (const op of ops) noteIds(op, used);
    }
  }
  return used;
}

function noteIds(op: AnyOp, used: UsedIds): void {
  if (op.type === 'message-waiting') noteBlocks(op.blocks, used);
  if (op.type === 'root-listed' || op.type === 'loss-acknowledged' || op.type === 'home-set' || !isTreeOp(op)) return;
  switch (op.type) {
    case 'node-added':
      noteNode(op.node.id, used);
      noteBlocks(op.node.blocks, used);
      return;
    case 'node-split':
      noteNode(op.left, used);
      for (const id of op.ids) noteBlock(id, used);
      return;
    case 'block-added':
    case 'block-changed':
      noteBlocks([op.block], used);
      return;
    case 'root-changed':
    case 'node-changed':
    case 'node-removed':
    case 'node-restored':
    case 'node-moved':
    case 'node-joined':
    case 'block-removed':
    case 'text':
    case 'unit':
    case 'text-appended':
    case 'output':
    case 'status':
    case 'bookmark':
      return;
  }
}

function noteNode(id: string, used: UsedIds): void {
  used.node = Math.max(used.node, Number(/\/node-(\d+)$/u.exec(id)?.[1] ?? 0));
}

function noteBlocks(blocks: readonly MessageBlock[], used: UsedIds): void {
  for (const { block_id: id } of blocks) if (id !== undefined) noteBlock(id, used);
}

function noteBlock(id: string, { blocks }: UsedIds): void {
  const [, agent, number] = /\/@([^/]+)\/(\d+)$/u.exec(id) ?? [];
  if (agent !== undefined) blocks.set(agent, Math.max(blocks.get(agent) ?? 0, Number(number)));
}
