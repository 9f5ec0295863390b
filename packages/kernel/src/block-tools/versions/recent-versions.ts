import type { BlockStatus, MessageBlock, TextSplice } from '@loom/blocks';
import type { Change } from '../../change.ts';
import type { RootOp } from '../../op.ts';
import { contentOf } from '../../forest/reading/block-place.ts';
import type { BlockVersion } from './block-versions.ts';

/** One version of a block as a list shows it: counts in place of the text. */
export interface VersionRow extends Pick<
  BlockVersion,
  'version' | 'seq' | 'time' | 'agent' | 'turn' | 'what' | 'status'
> {
  inserted: number;
  deleted: number;
}

/** The row of a version that was found by following the block. */
export function rowOf({ splices, block: _block, update: _update, ...row }: BlockVersion): VersionRow {
  return { ...row, ...countSplices(splices) };
}

/**
 * Finds the newest versions of a block from the changes of its log, the newest first, without the states between them: each
 * change of a block raises its version by one, and edits name their insertions and deletions.
 */
export class RecentVersions {
  readonly #id: string;
  readonly #before: number;
  readonly #limit: number;
  /** The version that the next change of the block made. */
  #version: number;
  /** The status that the next change left, where it is known. */
  #status: BlockStatus | undefined;
  /** No change of the status was passed since the newest state, which runs: an append before that is not the first. */
  #runs = false;
  /** Text was appended before the oldest row, and after the place where the status is known again. */
  #appendedBefore = false;
  /** The newest row first. */
  readonly #rows: DraftRow[] = [];

  constructor({ block_id = '', version = 1, status = 'done' }: MessageBlock, before: number, limit: number) {
    this.#id = block_id;
    this.#before = before;
    this.#limit = limit;
    this.#version = version;
    this.#status = status;
  }

  /** Takes the next older change. `unclear` means that only the states show its effect. */
  take(change: Change<RootOp>): 'more' | 'complete' | 'unclear' {
    const ops = change.ops.filter((op) => concerns(op, this.#id));
    if (ops.length === 0) return 'more';
    const made = change.ops.some(isOfNode) ? undefined : readOps(ops, this.#id);
    if (made === undefined) return 'unclear';
    const { isFirst, isAppend, status, version, ...counts } = made;
    if (version !== undefined && version !== this.#version) return 'unclear';
    if (isAppend && this.#runs) this.#settle('running');
    if (status !== undefined) this.#settle(status);
    const after = status ?? this.#status;
    const isWanted = this.#version < this.#before;
    if (isWanted && this.#rows.length < this.#limit) {
      const { seq, time, agent, turn } = change;
      const row: DraftRow = { version: this.#version, seq, time, agent, ...counts, isAppend, isSettled: false };
      if (turn !== undefined) row.turn = turn;
      if (after !== undefined) row.status = after;
      row.isSettled = status !== undefined || (after !== undefined && !(isAppend && after === 'running'));
      this.#rows.push(row);
    } else if (isWanted && isAppend) this.#appendedBefore = true;
    this.#runs = status === undefined && (this.#runs || (isAppend && after === 'running'));
    if (status !== undefined || (isAppend && after === 'running')) this.#status = undefined;
    this.#version -= 1;
    return isFirst || (this.#rows.length >= this.#limit && this.#rows.every((row) => row.isSettled))
      ? 'complete'
      : 'more';
  }

  /** The rows, the oldest first. */
  get rows(): VersionRow[] {
    return this.#rows.toReversed().map(({ isAppend: _isAppend, isSettled: _isSettled, status = 'done', ...row }) => ({
      ...row,
      status,
    }));
  }

  /** Gives the rows that wait for it their status, from the oldest on. The first append makes a block run. */
  #settle(known: BlockStatus): void {
    let status = known === 'pending' && this.#appendedBefore ? 'running' : known;
    for (const row of this.#rows.toReversed()) {
      if (row.isSettled) continue;
      if (row.isAppend && status === 'pending') {
        status = 'running';
        row.what.push('status');
      }
      row.status = status;
      row.isSettled = true;
    }
    this.#appendedBefore = false;
  }
}

interface DraftRow extends Omit<VersionRow, 'status'> {
  status?: BlockStatus;
  isAppend: boolean;
  isSettled: boolean;
}

/** The effect of one change on a block. */
interface Made extends Pick<VersionRow, 'what' | 'inserted' | 'deleted'> {
  /** The block was made. */
  isFirst: boolean;
  isAppend: boolean;
  /** The status that the change itself states. */
  status?: BlockStatus;
  version?: number;
}

function concerns(op: RootOp, id: string): boolean {
  switch (op.type) {
    case 'text':
    case 'unit':
    case 'text-appended':
    case 'status':
    case 'block-removed':
      return op.block === id;
    case 'node-added':
      return op.node.blocks.some((block) => block.block_id === id);
    case 'block-added':
    case 'block-changed':
      return op.block.block_id === id;
    // These ops cut blocks in two and make them one again.
    case 'node-split':
    case 'node-joined':
      return true;
    default:
      return false;
  }
}

/** Changes a node and sends it with all its blocks, which counts as a version beside an edit of one of them. */
function isOfNode({ type }: RootOp): boolean {
  return type === 'node-changed' || type === 'approval';
}

/** One op, or an edit with a status before or after it; `undefined` for anything else. */
function readOps([first, second, ...others]: readonly RootOp[], id: string): Made | undefined {
  if (first === undefined || others.length > 0) return undefined;
  const made = readOp(first, id);
  if (second === undefined || made === undefined) return made;
  const more = readOp(second, id);
  const status = made.status ?? more?.status;
  const what = [...made.what, ...(more?.what ?? [])];
  // The first append to a pending block is a separate status change.
  if (!what.includes('text') || !what.includes('status') || status === undefined || status === 'pending')
    return undefined;
  const [edit = made] = [made, more].filter((one) => one?.what[0] === 'text');
  return { ...edit, status, what };
}

function readOp(op: RootOp, id: string): Made | undefined {
  const nothing = { inserted: 0, deleted: 0, isFirst: false, isAppend: false };
  switch (op.type) {
    case 'text':
    case 'unit':
      return { ...nothing, what: ['text'], ...countSplices(op.splices) };
    case 'text-appended':
      // Other fields change what the block looks like as text.
      if (op.field !== 'text') return undefined;
      return { ...nothing, what: ['text'], inserted: op.text.length, isAppend: true };
    case 'status':
      if (op.provider !== undefined || op.parameters !== undefined) return undefined;
      return { ...nothing, what: ['status'], status: op.status };
    case 'node-added':
      return readAdded(op.node.blocks.find((block) => block.block_id === id));
    case 'block-added':
      return readAdded(op.block);
    default:
      return undefined;
  }
}

function readAdded(block: MessageBlock | undefined): Made | undefined {
  if (block === undefined) return undefined;
  const { version = 1, status = 'done' } = block;
  const inserted = contentOf(block).length;
  return { what: ['added'], inserted, deleted: 0, isFirst: true, isAppend: false, status, version };
}

function countSplices(splices: readonly TextSplice[]): { inserted: number; deleted: number } {
  return {
    inserted: splices.reduce((sum, { insert }) => sum + insert.length, 0),
    deleted: splices.reduce((sum, { delete: count }) => sum + count, 0),
  };
}
