import type { Change } from '../../change.ts';
import { isTreeOp } from '../../op.ts';
import type { RootOp } from '../../op.ts';
import type { RootState } from '../root-state.ts';
import { invertOp } from './inverse-op.ts';
import { LastChanges } from './last-changes.ts';
import type { LastChangesDump, PlaceKind } from './last-changes.ts';

/** The number of changes that can be taken back, the newest ones. */
const kept = 1000;

/** The data needed to undo one change. */
export interface UndoRecord {
  readonly seq: number;
  readonly agent: string;
  readonly inverse: readonly RootOp[];
  readonly kind: 'new' | 'undo' | 'redo';
  readonly traces: readonly Trace[];
}

/** The mark that a change left behind at one place. */
export interface Trace {
  readonly place: PlaceKind;
  /** The node, or the field of the root. */
  readonly key: string;
  /** The last change at that place before and after this one, leaving out those that were undone. */
  readonly before: number;
  readonly after: number;
  /** True if the change cannot be undone once something else happened there. */
  readonly strict: boolean;
}

/**
 * The data needed to undo the tree changes of the log. Each place remembers the last change that is in effect there: after
 * an undo that is the one before, so that changes can be taken back one after the other.
 */
export class UndoHistory {
  /** The changes that can be undone, the oldest first. */
  readonly #seqs = new Set<number>();
  readonly #undone = new Set<number>();
  readonly #last: LastChanges;
  /** In the order of their seqs; some may not have been read yet. */
  #records = new Map<number, UndoRecord>();
  /** Records that a snapshot has: they are rarely asked for. */
  #unread: (() => readonly UndoRecord[])[] = [];

  /** `touchOf` says which change has last touched a node. */
  constructor(touchOf: (node: string) => number) {
    this.#last = new LastChanges(touchOf);
  }

  /** The record of a change that can still be undone. */
  record(seq: number): UndoRecord | undefined {
    return this.#undone.has(seq) ? undefined : this.#read().get(seq);
  }

  /** The agent's newest change that is in effect. */
  lastDone(agent: string): UndoRecord | undefined {
    return this.#newestFirst(agent).find(({ kind }) => kind !== 'undo');
  }

  /** The agent's newest undo, unless something new was done after it. */
  lastUndone(agent: string): UndoRecord | undefined {
    const newest = this.#newestFirst(agent).find(({ kind }) => kind !== 'redo');
    return newest?.kind === 'undo' ? newest : undefined;
  }

  /** The last change in effect at a place. */
  lastAt(place: PlaceKind, key: string): number {
    return this.#last.get(place, key);
  }

  /** The changes that did nothing but edit a text in one undo unit, and were not undone. */
  changesOf(unit: UnitName): number[] {
    return [...this.#read().values()]
      .filter((record) => !this.#undone.has(record.seq) && isOnly(record, unit))
      .map(({ seq }) => seq);
  }

  window(): UndoWindow {
    return { seqs: [...this.#seqs], undone: [...this.#undone] };
  }

  /** Returns everything but the window. */
  dump(): UndoPart {
    const records = [...this.#read().values()];
    return { records, last: this.#last.dump(tracesOf(records)) };
  }

  /** Returns the part of it that came after a change, with which the last part ended. */
  dumpAfter(seq: number): UndoPart {
    const records = [...this.#records.values()].filter((record) => record.seq > seq);
    return { records, last: this.#last.dumpAfter(seq, tracesOf(records)) };
  }

  /** Notes that a snapshot holds the changes that were in effect. */
  noteSaved(last: LastChangesDump): void {
    this.#last.noteSaved(last);
  }

  /** Takes over a dump, the oldest part first. The records are read when one is asked for. */
  load(
    { seqs, undone }: UndoWindow,
    parts: readonly { last: LastChangesDump; readRecords: () => readonly UndoRecord[] }[],
  ): void {
    for (const seq of seqs) this.#seqs.add(seq);
    for (const seq of undone) this.#undone.add(seq);
    for (const { last } of parts) this.#last.load(last);
    this.#unread = parts.map(({ readRecords }) => readRecords);
  }

  begin(change: Change<RootOp>): Recording {
    return new Recording(change, this.#last);
  }

  finish(recording: Recording): void {
    const { seq, agent, ops } = recording.change;
    const undone = ops.flatMap((op) => (op.type === 'undone' ? (this.#read().get(op.change) ?? []) : []));
    for (const record of undone.toSorted((a, b) => b.seq - a.seq)) {
      this.#undone.add(record.seq);
      for (const { place, key, before, after } of record.traces) {
        if (recording.before(place, key) === after) this.#last.fallBack(place, key, before);
      }
    }
    const { inverse } = recording;
    if (inverse === undefined) return;
    this.#records.set(seq, { seq, agent, inverse, kind: kindOf(ops, undone), traces: recording.traces() });
    this.#seqs.add(seq);
    if (this.#seqs.size <= kept) return;
    const [oldest] = this.#seqs;
    if (oldest !== undefined) {
      this.#seqs.delete(oldest);
      this.#records.delete(oldest);
      this.#undone.delete(oldest);
    }
  }

  #read(): ReadonlyMap<number, UndoRecord> {
    if (this.#unread.length > 0) {
      const older = this.#unread.flatMap((readRecords) => readRecords());
      const all = [...older, ...this.#records.values()].filter(({ seq }) => this.#seqs.has(seq));
      this.#unread = [];
      this.#records = new Map(all.map((record) => [record.seq, record]));
    }
    return this.#records;
  }

  #newestFirst(agent: string): UndoRecord[] {
    return [...this.#read().values()]
      .filter((record) => record.agent === agent && !this.#undone.has(record.seq))
      .reverse();
  }
}

/** Follows one change while it is applied. */
export class Recording {
  readonly change: Change<RootOp>;
  /** The inverse of each op so far, or `undefined` if the change is not for undoing: a turn's are not. */
  #inverses: RootOp[][] | undefined;
  readonly #last: LastChanges;
  /** Mostly few, so that a list is searched faster than a map is made. */
  readonly #traces: MutableTrace[] = [];
  #index: Record<PlaceKind, Map<string, MutableTrace>> | undefined;
  #added: Set<string> | undefined;

  constructor(change: Change<RootOp>, last: LastChanges) {
    this.change = change;
    this.#inverses = change.turn === undefined ? [] : undefined;
    this.#last = last;
  }

  /** Takes note of an op that is about to be applied. */
  observe(state: RootState, op: RootOp): void {
    const inverse = this.#inverses && invertOp(state, op, this.#added ?? none);
    if (inverse === undefined) this.#inverses = undefined;
    else this.#inverses?.push(inverse);
    this.#trace(state, op);
    if (op.type !== 'node-added') return;
    this.#added ??= new Set();
    this.#added.add(op.node.id);
  }

  /** The ops that take the change back, or `undefined` if none can. */
  get inverse(): RootOp[] | undefined {
    return this.#inverses?.length === 1 ? this.#inverses[0] : this.#inverses?.toReversed().flat();
  }

  /** The last change in effect at a place when this one began. */
  before(place: PlaceKind, key: string): number {
    return this.#find(place, key)?.before ?? this.#last.get(place, key);
  }

  /** Returns everything that it left behind, once it is applied. */
  traces(): readonly Trace[] {
    for (const trace of this.#traces) trace.after = this.#last.get(trace.place, trace.key);
    return this.#traces;
  }

  #trace(state: RootState, op: RootOp): void {
    if (!isTreeOp(op)) return undefined;
    switch (op.type) {
      case 'node-added':
        this.#alter(op.node.id);
        return this.#mark('children', op.node.parent, false);
      case 'node-changed':
      case 'block-added':
        return this.#alter(op.node);
      case 'node-removed':
        this.#alter(op.node);
        return this.#leave(state, op.node);
      case 'node-restored':
        this.#alter(op.node);
        return this.#mark('children', state.nodes.get(op.node)?.parent ?? '', false);
      case 'node-moved':
        this.#alter(op.node);
        this.#leave(state, op.node);
        return this.#mark('children', op.parent, false);
      case 'node-split':
      case 'node-joined':
        this.#alter(op.node);
        this.#alter(op.left);
        return this.#mark('children', op.left, true);
      case 'block-removed':
      case 'text':
      case 'unit':
      case 'output':
      case 'text-appended':
      case 'status':
        return this.#alter(state.nodeOfBlock.get(op.block) ?? '');
      case 'block-changed':
        return this.#alter(state.nodeOfBlock.get(op.block.block_id ?? '') ?? '');
      case 'bookmark':
        return this.#mark('bookmark', op.node, true);
      case 'root-changed':
        for (const field of ['config', 'title', 'tags', 'deleted', 'archived', 'project'] as const) {
          if (op[field] !== undefined) this.#mark('root', field, true);
        }
        return undefined;
    }
  }

  #alter(node: string): void {
    this.#mark('node', node, true);
    this.#note('children', node, true);
  }

  /** A node goes from its parent. Its return by an undo is then no new child for the parent. */
  #leave(state: RootState, node: string): void {
    this.#note('children', state.nodes.get(node)?.parent ?? '', false);
  }

  #mark(place: PlaceKind, key: string, strict: boolean): void {
    this.#note(place, key, strict);
    this.#last.mark(place, key, this.change.seq);
  }

  #note(place: PlaceKind, key: string, strict: boolean): void {
    const seen = this.#find(place, key);
    if (seen === undefined) this.#add({ place, key, before: this.#last.get(place, key), after: 0, strict });
    else if (strict) seen.strict = true;
  }

  #find(place: PlaceKind, key: string): MutableTrace | undefined {
    return this.#index === undefined
      ? this.#traces.find((trace) => trace.place === place && trace.key === key)
      : this.#index[place].get(key);
  }

  #add(trace: MutableTrace): void {
    this.#traces.push(trace);
    if (this.#traces.length === fewTraces) {
      this.#index = { node: new Map(), children: new Map(), bookmark: new Map(), root: new Map() };
      for (const known of this.#traces) this.#index[known.place].set(known.key, known);
    } else {
      this.#index?.[trace.place].set(trace.key, trace);
    }
  }
}

/** The data that a snapshot keeps beside the parts. */
export interface UndoWindow {
  /** The changes that can be undone, the oldest first. */
  seqs: number[];
  /** Those of them that were undone. */
  undone: number[];
}

/** A part of a snapshot: records of changes, and where those and others left something. */
export interface UndoPart {
  records: readonly UndoRecord[];
  last: LastChangesDump;
}

const fewTraces = 16;

interface MutableTrace extends Trace {
  after: number;
  strict: boolean;
}

const none: ReadonlySet<string> = new Set();

/** A change of a text, or what would take one back. */
export type TextOp = Extract<RootOp, { type: 'text' | 'unit' }>;

export function isTextOp(op: RootOp): op is TextOp {
  return op.type === 'text' || op.type === 'unit';
}

/** A unit of a text, by what its edits say. */
export interface UnitName {
  block: string;
  agent: string;
  name: string;
}

/** Returns true if a change did nothing but edit a text in one unit. */
function isOnly({ inverse, agent }: UndoRecord, unit: UnitName): boolean {
  const [op, ...others] = inverse;
  if (op === undefined || others.length > 0 || !isTextOp(op) || op.block !== unit.block) return false;
  const [whose, name] = op.type === 'text' ? [agent, op.unit] : [op.agent, op.name];
  return whose === unit.agent && name === unit.name;
}

function tracesOf(records: readonly UndoRecord[]): Trace[] {
  return records.flatMap(({ traces }) => traces);
}

/**
 * Derives the kind from the undone changes; from a unit of a text only if no record is kept of its edits: an undo may itself
 * be a new edit.
 */
function kindOf(ops: readonly RootOp[], undone: readonly UndoRecord[]): UndoRecord['kind'] {
  const [first] = undone;
  if (first !== undefined) return first.kind === 'undo' ? 'redo' : 'undo';
  const unit = ops.find((op) => op.type === 'unit');
  if (unit === undefined) return 'new';
  return unit.to === 'undone' ? 'undo' : 'redo';
}
