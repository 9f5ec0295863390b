import { z } from 'zod';
import type { Change } from '../change.ts';
import type { RootOp } from '../op.ts';
import type { ChangeCodec } from './codec/change-codec.ts';
import { rootCodec } from './codec/root-codec.ts';
import { RootState } from '../state/root-state.ts';
import type { LogRecord } from '../store.ts';

/** A change that cannot be read or applied: the data in its place, and the problem. */
export interface UnreadableChange {
  seq: number;
  problem: string;
  value: unknown;
}

/** The changes of a log with an empty change in the place of each that cannot be read or applied. */
export interface ReadableLog {
  changes: Change<RootOp>[];
  aside: UnreadableChange[];
  /** The nodes whose parents are gone with such a change: they hang below the root now. */
  orphans: string[];
}

/**
 * Makes a log readable that holds changes which cannot be read, or which do not fit those before them. The others stay
 * as they are, at their seq. Ids that such a change gave out are not given out again.
 */
export function setUnreadableAside(root: string, records: readonly LogRecord[]): ReadableLog {
  const { found, unread } = readEach(rootCodec, records);
  const aside: UnreadableChange[] = [];
  const orphans: string[] = [];
  const changes: Change<RootOp>[] = [];
  let state = new RootState(root);
  const last = records.at(-1)?.seq ?? 0;
  for (let seq = 1; seq <= last; seq += 1) {
    const change = found.get(seq);
    const problem = change === undefined ? undefined : problemOf(state, change);
    if (change !== undefined && problem === undefined) {
      changes.push(change);
      orphans.push(...orphansOf(state, change));
      continue;
    }
    const bad = change === undefined ? unread(seq) : { seq, problem: `it does not fit: ${problem}`, value: change };
    aside.push(bad);
    // A change that failed to apply may have been applied in part.
    if (change !== undefined) state = reduce(root, changes);
    const stand = standIn(state, bad, changes.at(-1)?.time ?? firstTime(found));
    state.apply(stand);
    changes.push(stand);
  }
  return { changes, aside, orphans };
}

function orphansOf(state: RootState, { ops }: Change<RootOp>): string[] {
  return ops.flatMap((op) => {
    const isOrphan = op.type === 'node-added' && op.node.parent !== state.id && !state.nodes.has(op.node.parent);
    return isOrphan ? [op.node.id] : [];
  });
}

/** The changes of a log that can be read, by seq, and the data in the place of the others. */
export function readEach<Op>(
  codec: ChangeCodec<Op>,
  records: readonly LogRecord[],
): { found: ReadonlyMap<number, Change<Op>>; unread: (seq: number) => UnreadableChange } {
  const found = new Map<number, Change<Op>>();
  const bad: UnreadableChange[] = [];
  let first = 1;
  for (const record of records) {
    for (const entry of codec.decodeEach(record.text)) {
      if (entry.ok) found.set(entry.change.seq, entry.change);
      else bad.push({ seq: entry.seq ?? first, problem: entry.problem, value: entry.value });
    }
    first = record.seq + 1;
  }
  // An entry may stand for several changes; they follow the one whose seq it gives.
  const unread = (seq: number): UnreadableChange => {
    const { problem = 'it is missing', value = null } = bad.findLast((entry) => entry.seq <= seq) ?? {};
    return { seq, problem, value };
  };
  return { found, unread };
}

function problemOf(state: RootState, change: Change<RootOp>): string | undefined {
  try {
    state.apply(change);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function reduce(root: string, changes: readonly Change<RootOp>[]): RootState {
  const state = new RootState(root);
  for (const change of changes) state.apply(change);
  return state;
}

function firstTime(found: ReadonlyMap<number, Change<RootOp>>): number {
  return found.values().next().value?.time ?? 0;
}

/**
 * Makes a change in the place of another: it keeps the ids which that one names from being given out again, and where a
 * message was added it adds one that holds the unreadable text as a raw block, so that its answers stay below it.
 */
function standIn(state: RootState, { seq, value }: UnreadableChange, time: number): Change<RootOp> {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const name = RegExp.escape(state.id);
  const numbers = [...text.matchAll(new RegExp(`${name}/node-(\\d+)`, 'gu'))].map(([, number]) => Number(number));
  const blocks: Record<string, number> = {};
  for (const [, agent = '', number] of text.matchAll(new RegExp(`${name}/@([^/"]+)/(\\d+)`, 'gu'))) {
    blocks[agent] = Math.max(blocks[agent] ?? 0, Number(number));
  }
  const raised: RootOp = { type: 'counters-raised', node: Math.max(0, ...numbers), blocks, others: 0 };
  const ops = [...nodesIn(value).flatMap((node, index) => standInNode(state, node, `${seq}${index}`)), raised];
  return { seq, time, agent: 'loom:doctor', request: `set-aside-${seq}`, ops };
}

const addedNode = z.looseObject({
  id: z.string(),
  parent: z.string(),
  role: z.enum(['user', 'assistant']),
  blocks: z.array(z.unknown()),
});
type AddedNode = z.infer<typeof addedNode>;

function nodesIn(value: unknown): AddedNode[] {
  const parsed = z.object({ ops: z.array(z.unknown()) }).safeParse(value);
  return (parsed.data?.ops ?? []).flatMap((op) => {
    const added = z.object({ type: z.literal('node-added'), node: addedNode }).safeParse(op);
    return added.success ? [added.data.node] : [];
  });
}

function standInNode(state: RootState, { id, parent, role, blocks }: AddedNode, number: string): RootOp[] {
  const isKnown = parent === state.id || state.nodes.has(parent);
  if (!isKnown || state.nodes.has(id) || !id.startsWith(`${state.id}/`)) return [];
  const raw = {
    type: 'raw' as const,
    source: 'unreadable',
    value: blocks,
    block_id: `${state.id}/@loom:doctor/${number}`,
  };
  return [{ type: 'node-added', node: { id, parent, role, blocks: [raw], source: { type: 'user' } } }];
}
