import type { Change } from '../change.ts';
import type { ChangeCodec } from './codec/change-codec.ts';
import { applyChange } from './log-batch.ts';
import type { ChangeItem, FeedItem, LogState } from './log-shape.ts';
import type { Cursor } from '../cursor.ts';
import { findSnapshot, readSnapshot } from '../snapshot/snapshots.ts';
import type { Snapshots } from '../snapshot/snapshots.ts';
import type { LogRecord, Store } from '../store.ts';

export interface LogPastOptions<S, Op> {
  name: string;
  store: Store;
  codec: ChangeCodec<Op>;
  createState: () => S;
  snapshots?: Snapshots<S>;
}

/** Reads what a store holds of one log. Every state that it makes is the caller's own, and no writer waits for it. */
export class LogPast<S extends LogState<Op, Event>, Op, Event> {
  readonly #options: LogPastOptions<S, Op>;

  constructor(options: LogPastOptions<S, Op>) {
    this.#options = options;
  }

  /** A state from before a change or right at it, and all changes behind that state. */
  async upTo(seq: number): Promise<{ epoch: string; state: S; records: readonly LogRecord[]; changes: Change<Op>[] }> {
    const { name, store, codec, createState, snapshots } = this.#options;
    const snapshot = await readSnapshot(store, name, snapshots);
    const isUsable = snapshot !== undefined && snapshot.seq <= seq;
    let contents = await store.read(name, isUsable ? snapshot.seq : 0);
    const fits = isUsable && contents?.epoch === snapshot.epoch;
    if (isUsable && !fits) contents = await store.read(name, 0);
    const state = fits ? snapshot.state : createState();
    const { epoch = '', records = [] } = contents ?? {};
    const changes = records.flatMap(({ text }) => codec.decode(text)).filter((change) => change.seq > state.seq);
    return { epoch, state, records, changes };
  }

  /** The changes after a seq, up to another one if it is given; a record that holds earlier ones as well is read as a whole. */
  async between(afterSeq: number, throughSeq?: number): Promise<{ epoch: string; changes: Change<Op>[] }> {
    const { name, store, codec } = this.#options;
    const { epoch = '', records = [] } = (await store.read(name, afterSeq, throughSeq)) ?? {};
    return { epoch, changes: records.flatMap(({ text }) => codec.decode(text)) };
  }

  /** The newest state that is durable. */
  async newest(): Promise<{ epoch: string; state: S }> {
    const { epoch, state, changes } = await this.upTo(Infinity);
    for (const change of changes) state.apply(change);
    return { epoch, state };
  }

  /**
   * Reads what loading the newest state would read, without making the state, and throws as that would. Returns the seq of the last
   * change, 0 if there is none.
   */
  async verify(): Promise<number> {
    const { name, store, codec, snapshots } = this.#options;
    const snapshot = await findSnapshot(store, name, snapshots);
    let contents = await store.read(name, snapshot?.seq ?? 0);
    if (snapshot !== undefined && contents?.epoch !== snapshot.epoch) contents = await store.read(name, 0);
    const changes = (contents?.records ?? []).flatMap(({ text }) => codec.decode(text));
    return changes.at(-1)?.seq ?? snapshot?.seq ?? 0;
  }

  /** The state as it was right after a change. */
  async stateAt(seq: number): Promise<S> {
    const { state, changes } = await this.upTo(seq);
    for (const change of changes) if (change.seq <= seq) state.apply(change);
    return state;
  }

  /** Returns the changes that a subscriber at a cursor has missed, or a resync if it has to start over. */
  async replay(cursor: Cursor): Promise<FeedItem<Event>[]> {
    const { epoch, state, changes } = await this.upTo(cursor.seq);
    if (epoch !== cursor.epoch || cursor.seq > (changes.at(-1)?.seq ?? state.seq)) {
      return [{ type: 'resync', epoch }];
    }
    return changes.map((change) => applyChange(state, epoch, change)).filter(({ seq }) => seq > cursor.seq);
  }

  /** Shows every change with the state right after it, from the first one on, until `visit` returns false. None is kept. */
  async walk(visit: (item: ChangeItem<Event>, state: S) => boolean): Promise<void> {
    const { name, store, codec, createState } = this.#options;
    const state = createState();
    let epoch: string | undefined;
    for (;;) {
      const contents = await store.read(name, state.seq, state.seq + mostInPiece);
      epoch ??= contents?.epoch;
      // A log that has started over since has no more of this past.
      if (contents === undefined || contents.records.length === 0 || contents.epoch !== epoch) return;
      for (const { text } of contents.records) {
        for (const change of codec.decode(text)) {
          if (change.seq > state.seq && !visit(applyChange(state, epoch, change), state)) return;
        }
      }
    }
  }

  /**
   * Shows the changes up to a cursor without their states, the newest first, until `visit` returns false. Reads no more than
   * about twice as many as are shown. Returns false if the log has started over since.
   */
  async walkBack(cursor: Cursor, visit: (change: Change<Op>) => boolean): Promise<boolean> {
    const { name, store, codec } = this.#options;
    let { seq } = cursor;
    for (let count = fewestInPiece; seq > 0; count = Math.min(count * 2, mostInPiece)) {
      const contents = await store.read(name, Math.max(0, seq - count), seq);
      if (contents?.epoch !== cursor.epoch || contents.records.length === 0) return false;
      for (const { text } of contents.records.toReversed()) {
        for (const change of codec.decode(text).toReversed()) {
          if (change.seq > seq) continue;
          if (!visit(change)) return true;
          seq = change.seq - 1;
        }
      }
    }
    return true;
  }
}

/** Changes that are read at once: memory for some, and not a read for each. */
const fewestInPiece = 16;
const mostInPiece = 1024;
