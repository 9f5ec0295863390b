import type { Change } from '../change.ts';
import type { RootOp } from '../op.ts';
import type { RootState } from '../root-state.ts';
import { invertOp } from './inverse-op.ts';

/** How many changes can be taken back, the newest ones. */
const kept = 1000;

/** What it takes to undo one change. */
export interface UndoRecord {
  readonly seq: number;
  readonly agent: string;
  readonly inverse: readonly RootOp[];
  /** Something was done, or done again, or it was undone. */
  readonly kind: 'done' | 'undone';
  /** The change that it took back. */
  readonly undoes?: number;
  readonly traces: readonly Trace[];
}

/** What a change left behind at one place. */
export interface Trace {
  /** A node (its own fields and blocks), the children of one, a bookmark, or a field of the root. */
  readonly key: string;
  /** The last change at that place before and after this one, leaving out those that were undone. */
  readonly before: number;
  readonly after: number;
  /** If something else happened there since, the change cannot be undone. */
  readonly strict: boolean;
}

/**
 * What the log's tree changes would take to be undone. Each place remembers the last change that is in effect there: after
 * an undo that is the one before, so that changes can be taken back one after the other.
 */
export class UndoHistory {
  readonly #records = new Map<number, UndoRecord>();
  readonly #undone = new Set<number>();
  readonly #last = new Map<string, number>();

  /** The record of a change that can still be undone. */
  record(seq: number): UndoRecord | undefined {
    return this.#undone.has(seq) ? undefined : this.#records.get(seq);
  }

  /** The agent's newest change that is in effect. */
  lastDone(agent: string): UndoRecord | undefined {
    return this.#newestFirst(agent).find(({ kind }) => kind === 'done');
  }

  /** The agent's newest undo, unless something new was done after it. */
  lastUndone(agent: string): UndoRecord | undefined {
    const [newest] = this.#newestFirst(agent).filter(({ kind, undoes }) => kind === 'undone' || undoes === undefined);
    return newest?.kind === 'undone' ? newest : undefined;
  }

  /** The last change in effect at a place. */
  lastAt(key: string): number {
    return this.#last.get(key) ?? 0;
  }

  begin(change: Change<RootOp>): Recording {
    return new Recording(change, this.#last);
  }

  finish(recording: Recording): void {
    const { seq, agent } = recording.change;
    const undoes = recording.change.ops.find((op) => op.type === 'undone')?.change;
    const undone = undoes === undefined ? undefined : this.#records.get(undoes);
    if (undone !== undefined) {
      this.#undone.add(undone.seq);
      for (const { key, before, after } of undone.traces) {
        if (recording.before(key) === after) this.#last.set(key, before);
      }
    }
    const { inverse } = recording;
    if (inverse === undefined) return;
    this.#records.set(seq, {
      seq,
      agent,
      inverse,
      kind: undone?.kind === 'done' ? 'undone' : 'done',
      ...(undoes === undefined ? {} : { undoes }),
      traces: recording.traces(),
    });
    const [oldest] = this.#records.keys();
    if (this.#records.size > kept && oldest !== undefined) {
      this.#records.delete(oldest);
      this.#undone.delete(oldest);
    }
  }

  #newestFirst(agent: string): UndoRecord[] {
    return [...this.#records.values()]
      .filter((record) => record.agent === agent && !this.#undone.has(record.seq))
      .reverse();
  }
}

/** Follows one change while it is applied. */
export class Recording {
  readonly change: Change<RootOp>;
  /** What takes back each op so far, or `undefined` if the change is not for undoing: a turn's are not. */
  #inverses: RootOp[][] | undefined;
  readonly #last: Map<string, number>;
  readonly #seen = new Map<string, { before: number; strict: boolean }>();
  readonly #added = new Set<string>();

  constructor(change: Change<RootOp>, last: Map<string, number>) {
    this.change = change;
    this.#inverses = change.turn === undefined ? [] : undefined;
    this.#last = last;
  }

  /** Takes note of an op that is about to be applied. */
  observe(state: RootState, op: RootOp): void {
    const inverse = this.#inverses && invertOp(state, op, this.#added);
    if (inverse === undefined) this.#inverses = undefined;
    else this.#inverses?.push(inverse);
    this.#trace(state, op);
    if (op.type === 'node-added') this.#added.add(op.node.id);
  }

  /** The ops that take the change back, or `undefined` if none can. */
  get inverse(): RootOp[] | undefined {
    return this.#inverses?.toReversed().flat();
  }

  /** The last change in effect at a place when this one began. */
  before(key: string): number {
    return this.#seen.get(key)?.before ?? this.#last.get(key) ?? 0;
  }

  traces(): Trace[] {
    return [...this.#seen].map(([key, { before, strict }]) => ({
      key,
      before,
      after: this.#last.get(key) ?? 0,
      strict,
    }));
  }

  #trace(state: RootState, op: RootOp): void {
    switch (op.type) {
      case 'node-added':
        this.#alter(op.node.id);
        return this.#mark(childrenKey(op.node.parent), false);
      case 'node-changed':
      case 'block-added':
        return this.#alter(op.node);
      case 'node-removed':
        this.#alter(op.node);
        return this.#leave(state, op.node);
      case 'node-restored':
        this.#alter(op.node);
        return this.#mark(childrenKey(state.nodes.get(op.node)?.parent ?? ''), false);
      case 'node-moved':
        this.#alter(op.node);
        this.#leave(state, op.node);
        return this.#mark(childrenKey(op.parent), false);
      case 'node-split':
      case 'node-joined':
        this.#alter(op.node);
        this.#alter(op.left);
        return this.#mark(childrenKey(op.left), true);
      case 'block-removed':
      case 'text':
      case 'text-appended':
      case 'status':
        return this.#alter(state.nodeOfBlock.get(op.block) ?? '');
      case 'block-changed':
        return this.#alter(state.nodeOfBlock.get(op.block.block_id ?? '') ?? '');
      case 'bookmark':
        return this.#mark(`bookmark\n${op.node}`, true);
      case 'root-changed':
        for (const field of ['config', 'title', 'tags', 'deleted'] as const) {
          if (op[field] !== undefined) this.#mark(`root\n${field}`, true);
        }
        return undefined;
      case 'turn-started':
      case 'turn-taken':
      case 'turn-ended':
      case 'tool-started':
      case 'approval':
      case 'message-waiting':
      case 'message-taken':
      case 'undone':
        return undefined;
    }
  }

  #alter(node: string): void {
    this.#mark(node, true);
    this.#note(childrenKey(node), true);
  }

  /** A node goes from its parent. Its return by an undo is then no new child for the parent. */
  #leave(state: RootState, node: string): void {
    this.#note(childrenKey(state.nodes.get(node)?.parent ?? ''), false);
  }

  #mark(key: string, strict: boolean): void {
    this.#note(key, strict);
    this.#last.set(key, this.change.seq);
  }

  #note(key: string, strict: boolean): void {
    const seen = this.#seen.get(key);
    if (seen === undefined) this.#seen.set(key, { before: this.#last.get(key) ?? 0, strict });
    else if (strict) seen.strict = true;
  }
}

/** The place where a node's gained children are remembered. */
export function childrenKey(node: string): string {
  return `children\n${node}`;
}
