import type { Cursor } from '../cursor.ts';
import type { ProjectionPart, Store } from '../store.ts';

/** The parts of a state to write, and the keys of obsolete ones. */
export interface SnapshotDump {
  put: ProjectionPart[];
  drop: string[];
  /** Called once they are written. */
  saved: () => void;
}

/** The way to keep the state of a log, so that it need not be reduced from the beginning. */
export interface Snapshots<S> {
  /** Returns the changed parts since a snapshot; 0 stands for none. Changes nothing. */
  dump(state: S, base: number): SnapshotDump;
  /** The state of a snapshot, or `undefined` if it is not whole. */
  load(parts: readonly ProjectionPart[]): S | undefined;
  /** Returns false if parts are missing, as far as that can be told without making the state. */
  isWhole(parts: readonly ProjectionPart[]): boolean;
}

/** A state as of a snapshot. */
export interface LoadedSnapshot<S> {
  epoch: string;
  seq: number;
  state: S;
}

/** The newest snapshot of a log. One that is damaged, or cannot be read just now, is as good as none: the log has everything. */
export async function readSnapshot<S>(
  store: Store,
  log: string,
  snapshots: Snapshots<S> | undefined,
): Promise<LoadedSnapshot<S> | undefined> {
  if (snapshots === undefined) return undefined;
  const found = await store.readProjection(log, stateProjection).catch(() => undefined);
  const state = found && snapshots.load(found.parts);
  return state === undefined ? undefined : { epoch: found?.epoch ?? '', seq: found?.seq ?? 0, state };
}

/** The place in the log of the newest snapshot, if that can be read whole. Its state is not made, which takes most of the time of reading one. */
export async function findSnapshot<S>(
  store: Store,
  log: string,
  snapshots: Snapshots<S> | undefined,
): Promise<Cursor | undefined> {
  if (snapshots === undefined) return undefined;
  const found = await store.readProjection(log, stateProjection).catch(() => undefined);
  if (found === undefined || !snapshots.isWhole(found.parts)) return undefined;
  return { epoch: found.epoch, seq: found.seq };
}

/**
 * Writes snapshots of one state, one at a time and beside all other work. A snapshot that another process has written
 * meanwhile ends that: the next one is made by the process that loads the state again.
 */
export class SnapshotWriter<S extends { readonly seq: number }> {
  readonly #store: Store;
  readonly #log: string;
  readonly #snapshots: Snapshots<S> & { every: number };
  #base: number;
  /** About how long the changes since then are. */
  #length = 0;
  /** The number of changes written since the state was loaded. */
  #written = 0;
  /**
   * The length of the last snapshot that was built on another one: the parts that it wrote again may have to be written
   * every time.
   */
  #lastLength = 0;
  #isOvertaken = false;
  #writing: Promise<void> | undefined;

  constructor(store: Store, log: string, snapshots: Snapshots<S> & { every: number }, base: number) {
    this.#store = store;
    this.#log = log;
    this.#snapshots = snapshots;
    this.#base = base;
  }

  /** The seq of the newest snapshot that this one knows, or 0. */
  get base(): number {
    return this.#base;
  }

  /** Takes note of records that were there already, behind the snapshot. */
  noteRead(records: readonly { text: string }[]): void {
    for (const { text } of records) this.#length += text.length;
  }

  /** Takes note of records that were just written, and of how many changes they hold. */
  noteWritten(records: readonly { text: string }[], changes: number): void {
    this.noteRead(records);
    this.#written += changes;
  }

  /**
   * Returns true if so many changes, or such long ones, have come together that reading them again takes longer than a
   * snapshot. Right after the state was loaded none is due: a person who has just started Loom waits for an answer. While
   * many changes come at once, as an import writes them, it waits until much more has come: every snapshot writes chunks
   * again that are still growing.
   */
  isDue(state: S, atOnce = 1): boolean {
    const share = atOnce < fewestInRush ? 1 : rushShare;
    return this.#written >= this.#snapshots.every * quietShare && this.#isWorth(state, share);
  }

  /** True if a snapshot is worth making when no caller waits and no better time will come; with `onlyDue` if one is due that was put off. */
  isWorthwhile(state: S, onlyDue = false): boolean {
    return onlyDue ? this.isDue(state) : this.#isWorth(state, closingShare);
  }

  /** The same for a state that is about to be forgotten: what this process has only read is as quickly read again. */
  isOwed(state: S): boolean {
    return this.#writing !== undefined || (this.#written > 0 && this.isWorthwhile(state));
  }

  /** Makes a snapshot of a state that is durable. Resolves when it is written, or could not be. */
  write(state: S, epoch: string): Promise<void> {
    this.#writing ??= this.#write(state, epoch).finally(() => (this.#writing = undefined));
    return this.#writing;
  }

  /** Waits for a snapshot that is being written. */
  async idle(): Promise<void> {
    await this.#writing;
  }

  #isWorth(state: S, share: number): boolean {
    if (this.#isOvertaken || this.#writing !== undefined) return false;
    if (this.#length < (this.#lastLength / 2) * share) return false;
    return state.seq - this.#base >= this.#snapshots.every * share || this.#length >= longestTail * share;
  }

  async #write(state: S, epoch: string): Promise<void> {
    const { seq } = state;
    const length = this.#length;
    const base = this.#base === 0 ? undefined : this.#base;
    try {
      const { put, drop, saved } = this.#snapshots.dump(state, this.#base);
      if (await this.#store.writeProjection(this.#log, stateProjection, { epoch, seq, base, put, drop })) {
        this.#base = seq;
        this.#length -= length;
        this.#lastLength = base === undefined ? 0 : put.reduce((sum, { text }) => sum + text.length, 0);
        saved();
      } else {
        this.#isOvertaken = true;
      }
    } catch {
      // Nothing depends on the snapshot. If it was written after all, the next one is refused.
    }
  }
}

/** The projection that holds the newest snapshot of a log. */
const stateProjection = 'state';

/** The fewest changes at once that count as a rush. */
const fewestInRush = 8;

/** In a rush a snapshot is made of so many times what makes one at other times. */
const rushShare = 8;

/** At the end a snapshot is made of a fraction of what makes one at other times. */
const closingShare = 1 / 16;

/** The share of a snapshot's worth of changes that is written before the first one. */
const quietShare = 1 / 64;

/** In UTF-16 units. */
const longestTail = 256 * 1024;
