import type { ResultOf } from '@loom/kernel';
import type { ListView } from '@loom/sync';
import { Store } from '../stores/store.ts';
import type { ReadableStore } from '../stores/store.ts';
import { describeFailure } from '../words/failures.ts';

/** A turn on the board. */
export type BoardRow = ResultOf<'board.list'>['items'][number];

export interface BoardView {
  readonly rows: readonly BoardRow[];
  readonly isKnown: boolean;
  readonly failure?: string;
}

export interface BoardParts {
  /** The list of conversations, which says which of them have changed. */
  readonly list: ReadableStore<ListView>;
  /** Reads the rows of all conversations, or of some. */
  readonly read: (roots?: readonly string[]) => Promise<readonly BoardRow[]>;
  /** Calls back later; returns a function that prevents it. */
  readonly after: (milliseconds: number, call: () => void) => () => void;
}

/** The time for which changes are gathered, in milliseconds: agents change something many times a second. */
const gathering = 250;
/** More conversations than this are read as all of them are. */
const most = 100;

/**
 * The turns that wait, run or have ended lately, in all conversations. They are loaded once, and then for conversations that the list says have
 * changed, never by time.
 */
export class Board implements ReadableStore<BoardView> {
  readonly #parts: BoardParts;
  readonly #view = new Store<BoardView>({ rows: [], isKnown: false });
  readonly subscribe = this.#view.subscribe;
  readonly getSnapshot = this.#view.getSnapshot;
  #seen = new Map<string, unknown>();
  #changed = new Set<string>();
  #isAllChanged = false;
  #isLive = false;
  #isReading = false;
  #cancel: (() => void) | undefined;

  constructor(parts: BoardParts) {
    this.#parts = parts;
  }

  /** Begins to follow; the returned function ends it. */
  start(): () => void {
    const stop = this.#parts.list.subscribe(() => this.#look());
    this.#isLive = false;
    this.#look();
    return () => {
      stop();
      this.#cancel?.();
      this.#cancel = undefined;
    };
  }

  /** Reads everything again. */
  refresh(): void {
    this.#isAllChanged = true;
    this.#readSoon(0);
  }

  #look(): void {
    const { status, items, children } = this.#parts.list.getSnapshot();
    if (status !== 'live') {
      this.#isLive = false;
      return;
    }
    const before = this.#seen;
    const now = new Map([...items, ...children].map((item) => [item.id, item]));
    this.#seen = now;
    if (!this.#isLive) {
      // Something may have been missed while there was no connection.
      this.#isLive = true;
      this.refresh();
      return;
    }
    const changed = [...now].filter(([id, item]) => before.get(id) !== item).map(([id]) => id);
    const gone = new Set([...before.keys()].filter((id) => !now.has(id)));
    if (gone.size > 0) this.#put([], gone);
    if (changed.length === 0) return;
    for (const id of changed) this.#changed.add(id);
    this.#readSoon(gathering);
  }

  #readSoon(wait: number): void {
    if (this.#isReading) return;
    this.#cancel?.();
    const read = (): void => {
      this.#cancel = undefined;
      void this.#read();
    };
    if (wait === 0) read();
    else this.#cancel = this.#parts.after(wait, read);
  }

  async #read(): Promise<void> {
    const changed = this.#changed;
    const roots = this.#isAllChanged || changed.size > most ? undefined : [...changed];
    this.#changed = new Set();
    this.#isAllChanged = false;
    this.#isReading = true;
    try {
      this.#put(await this.#parts.read(roots), roots && new Set(roots));
    } catch (error) {
      // The next change reads everything.
      this.#isAllChanged = true;
      this.#view.update(({ rows, isKnown }) => ({ rows, isKnown, failure: describeFailure(error) }));
      return;
    } finally {
      this.#isReading = false;
    }
    if (this.#isAllChanged || this.#changed.size > 0) this.#readSoon(gathering);
  }

  /** Puts rows in the place of those of some conversations, or of all. */
  #put(rows: readonly BoardRow[], roots: ReadonlySet<string> | undefined): void {
    this.#view.update(({ rows: before, isKnown }) => ({
      rows: [...(roots === undefined ? [] : before.filter(({ root }) => !roots.has(root))), ...rows],
      isKnown: isKnown || roots === undefined,
    }));
  }
}
