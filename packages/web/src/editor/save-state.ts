import type { TextChange } from '@loom/sync';
import { Store } from '../stores/store.ts';
import type { ReadableStore } from '../stores/store.ts';

/** The state of a text's latest edits. */
export type SaveState =
  /** Reading only, until the server lets the reader type. `isAway`: it does not answer. */
  | { readonly is: 'opening'; readonly isAway: boolean }
  | { readonly is: 'saved' }
  /** The server has been asked a moment ago. */
  | { readonly is: 'saving' }
  /** The server takes long: what was typed is on this computer. */
  | { readonly is: 'unsaved' }
  | { readonly is: 'offline'; readonly since: number; readonly edits: number }
  /** Edits made without a connection are saved, beside so many changes of others from meanwhile. */
  | { readonly is: 'merged'; readonly edits: number; readonly others: number };

/** The facts about a text that its state follows from. */
export interface SaveFacts {
  readonly isOpen: boolean;
  /** True if the server is connected, and everything from before is known here. */
  readonly isLive: boolean;
  /** The edits that the server has not confirmed. */
  readonly unsaved: number;
}

interface Clock {
  readonly now: () => number;
  readonly after: (milliseconds: number, callback: () => void) => () => void;
}

/** Saving that is over sooner than this is not told. */
const quickly = 300;

/** Saving that takes longer than this is told as not saved. */
const patience = 5000;

/** A connection that is back sooner than this was not away. */
const briefly = 2000;

/** Follows the state of a text: `look` is called when something may have changed. */
export class SaveTracker {
  readonly #clock: Clock;
  readonly #read: () => SaveFacts;
  readonly #state: Store<SaveState>;
  #unsavedSince: number | undefined;
  #awaySince: number | undefined;
  /** The edits made while the server was away, and the changes of others that came with its return. */
  #absence: { edits: number; others: number } | undefined;
  #stop = (): void => {};

  constructor(read: () => SaveFacts, clock: Clock) {
    this.#read = read;
    this.#clock = clock;
    this.#state = new Store<SaveState>({ is: 'opening', isAway: false });
    this.look();
  }

  get state(): ReadableStore<SaveState> {
    return this.#state;
  }

  /** Notes a change of the text. */
  take({ splices, by }: Pick<TextChange, 'splices' | 'by'>): void {
    const isOther = splices.length > 0 && !by.isHere;
    if (isOther && this.#absence !== undefined && this.#read().isLive) this.#absence.others += 1;
    if (splices.length > 0 && by.isHere && this.#state.getSnapshot().is === 'merged') this.#set({ is: 'saved' });
    this.look();
  }

  /** Reads the facts again. */
  look(): void {
    this.#stop();
    const { isOpen, isLive, unsaved } = this.#read();
    const now = this.#clock.now();
    this.#awaySince = isLive ? undefined : (this.#awaySince ?? now);
    this.#unsavedSince = unsaved === 0 ? undefined : (this.#unsavedSince ?? now);
    const away = this.#awaySince === undefined ? 0 : now - this.#awaySince;
    if (away >= briefly && unsaved > 0) this.#absence = { edits: unsaved, others: this.#absence?.others ?? 0 };
    const next = this.#judge({ isOpen, unsaved }, now);
    this.#set(next);
    if (isLive && unsaved === 0) this.#absence = undefined;
    const waits = [
      ...(this.#awaySince === undefined ? [] : [this.#awaySince + briefly]),
      ...(this.#unsavedSince === undefined ? [] : [this.#unsavedSince + quickly, this.#unsavedSince + patience]),
    ].filter((time) => time > now);
    if (waits.length > 0) this.#stop = this.#clock.after(Math.min(...waits) - now, () => this.look());
  }

  close(): void {
    this.#stop();
  }

  #judge({ isOpen, unsaved }: Pick<SaveFacts, 'isOpen' | 'unsaved'>, now: number): SaveState {
    const before = this.#state.getSnapshot();
    const isAway = this.#awaySince !== undefined && now - this.#awaySince >= briefly;
    if (isAway && (isOpen || unsaved > 0)) return { is: 'offline', since: this.#awaySince ?? now, edits: unsaved };
    if (!isOpen) return { is: 'opening', isAway };
    const since = this.#unsavedSince;
    if (since === undefined) {
      if (this.#absence !== undefined && this.#awaySince === undefined) return { is: 'merged', ...this.#absence };
      return before.is === 'merged' ? before : { is: 'saved' };
    }
    if (now - since >= patience) return { is: 'unsaved' };
    if (now - since >= quickly) return { is: 'saving' };
    return before.is === 'opening' || before.is === 'offline' ? { is: 'saving' } : before;
  }

  #set(state: SaveState): void {
    const before = this.#state.getSnapshot();
    if (JSON.stringify(before) !== JSON.stringify(state)) this.#state.set(state);
  }
}
