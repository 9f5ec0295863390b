import type { FeedEvent, RootState } from '@loom/kernel';
import { RootCounters, rootJson } from './root-json-content.ts';
import type { RootJson } from './root-json-content.ts';

/** The next content of a root's own file. */
export interface DueRoot {
  json: RootJson;
  /** Without its seq, which alone does not justify a write. */
  text: string;
}

/** Tracks differences between a root's own file and the log. */
export class DirtyRootJson {
  #counters: RootCounters | undefined;
  /** The last change that was noted. */
  #seq = 0;
  /** The earliest time it may be written, if it needs writing. */
  #notBefore: number | undefined;
  #written: string | undefined;

  get isDirty(): boolean {
    return this.#notBefore !== undefined;
  }

  nextTime(): number {
    return this.#notBefore ?? Infinity;
  }

  /** Marks the file for writing, whatever its content. */
  add(notBefore = 0): void {
    this.#notBefore = notBefore;
    this.#written = undefined;
  }

  /** Marks everything as possibly changed. */
  restart(): void {
    this.#counters = undefined;
    this.#seq = 0;
    this.add();
  }

  /** Notes what a change of the log has done. */
  note(events: readonly FeedEvent[], seq: number): void {
    this.#seq = Math.max(this.#seq, seq);
    for (const event of events) {
      this.#counters?.note(event);
      if (concernsRoot(event)) this.#notBefore ??= 0;
    }
  }

  /** Takes out the content to write now, if any. */
  take(state: RootState, now: number, everything: boolean): DueRoot | undefined {
    if (this.#notBefore === undefined || (this.#notBefore > now && !everything)) return undefined;
    this.#notBefore = undefined;
    const due = this.describe(state);
    return due.text === this.#written ? undefined : due;
  }

  describe(state: RootState): DueRoot {
    const json = rootJson(state, this.#countersAt(state));
    return { json, text: JSON.stringify({ ...json, seq: 0 }) };
  }

  /**
   * Returns the counters as of a state. A state may be read before its last change was noted here, or be older than that: counters of another change than
   * the file names would look like an edit, if the process is killed before it writes the file again.
   */
  #countersAt(state: RootState): RootCounters {
    if (this.#counters !== undefined && this.#seq === state.seq) return this.#counters;
    const counters = RootCounters.of(state);
    if (this.#counters === undefined || this.#seq < state.seq) {
      this.#counters = counters;
      this.#seq = state.seq;
    }
    return counters;
  }

  written(text: string): void {
    this.#written = text;
  }
}

function concernsRoot(event: FeedEvent): boolean {
  switch (event.type) {
    case 'root-changed':
    case 'bookmark':
    case 'node-added':
    case 'node-changed':
    case 'node-removed':
    case 'node-restored':
    case 'node-moved':
    case 'block-added':
    case 'message-waiting':
    case 'files-undone':
      return true;
    default:
      return false;
  }
}
