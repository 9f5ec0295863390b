import type { ResultOf } from '@loom/kernel';
import { Store } from '../stores/store.ts';

export type OutlineLine = ResultOf<'tree.outline'>['items'][number];

interface OutlinePage {
  items: OutlineLine[];
  next?: string;
}

/** Asks for a page of the outline, from a place on. */
type AskPage = (after: string | undefined) => Promise<OutlinePage>;

/**
 * The opening words of each message of a conversation, also of those that are not loaded. They are loaded once the outline is looked at,
 * and again when unknown messages have come.
 */
export class OutlineWords {
  readonly lines = new Store<ReadonlyMap<string, OutlineLine>>(new Map());
  readonly #ask: AskPage;
  #isAsking = false;

  constructor(ask: AskPage) {
    this.#ask = ask;
  }

  /** Loads the words unless everything is known, or is being loaded. Tries again after a failure at the next look. */
  async look(ids: Iterable<string>): Promise<void> {
    if (this.#isAsking) return;
    const known = this.lines.getSnapshot();
    if (![...ids].some((id) => !known.has(id))) return;
    this.#isAsking = true;
    try {
      const lines = new Map<string, OutlineLine>();
      for (let after: string | undefined, isFirst = true; isFirst || after !== undefined; isFirst = false) {
        const { items, next } = await this.#ask(after);
        for (const item of items) lines.set(item.id, item);
        after = next;
        // The first page is shown while the rest is on its way.
        this.lines.set(new Map([...known, ...lines]));
      }
      this.lines.set(lines);
    } finally {
      this.#isAsking = false;
    }
  }
}
