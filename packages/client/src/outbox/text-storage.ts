import { pendingWork } from '@loom/sync';
import type { KeptStep, KeptText, TextKeeper } from '@loom/sync';
import { pageId, readPage, readText, textId } from './kept-entries.ts';
import type { OutboxStorage } from './outbox-storage.ts';

/** A page of steps is written anew with every key: a short one costs little, and long ones are fewer. */
const pageLength = 4096;

/** The storage's copy of a text that is kept. */
interface Written {
  /** The number of pages of steps. */
  pages: number;
  /** The steps of the last page as JSON, a line for each time. */
  last: string;
  /** Another user of the storage has removed it. */
  isGone: boolean;
}

/** Keeps the unconfirmed typing in a conversation. Text that the storage does not take is reported; it is in memory all the same. */
export class TextStorage implements TextKeeper {
  readonly #storage: OutboxStorage;
  readonly #onFailure: (error: unknown) => void;
  readonly #written = new Map<string, Written>();
  readonly #stopListening: (() => void) | undefined;

  constructor(storage: OutboxStorage, onFailure: (error: unknown) => void) {
    this.#storage = storage;
    this.#onFailure = onFailure;
    this.#stopListening = storage.subscribe?.(({ id, text }) => {
      if (text !== undefined) return;
      for (const [kept, written] of this.#written) if (id === undefined || id === textId(kept)) written.isGone = true;
    });
  }

  put({ id, ...kept }: KeptText): void {
    this.#removePages(id);
    this.#written.set(id, { pages: 0, last: '', isGone: false });
    this.#try(() => this.#storage.put({ id: textId(id), text: JSON.stringify(kept) }));
  }

  add(id: string, steps: readonly KeptStep[]): boolean {
    const written = this.#written.get(id);
    // Without a word from others, the text that the steps are added to may have been removed by one of them.
    if (written === undefined || written.isGone || this.#stopListening === undefined) return false;
    if (written.pages === 0 || written.last.length > pageLength) {
      written.pages += 1;
      written.last = '';
    }
    written.last += `${JSON.stringify(steps)}\n`;
    this.#try(() => this.#storage.put({ id: pageId(id, written.pages), text: written.last }));
    return true;
  }

  remove(id: string): void {
    if (!this.#written.has(id)) return;
    this.#try(() => this.#storage.remove(textId(id)));
    this.#removePages(id);
    this.#written.delete(id);
  }

  /** Stops listening to changes that others make to the storage. */
  close(): void {
    this.#stopListening?.();
  }

  /**
   * Loads the texts that earlier pages have left in a conversation. Texts in which everything is confirmed are removed: a
   * page that has one open puts it again with the next key. Entries that are not texts stay where they are.
   */
  async load(root: string): Promise<KeptText[]> {
    try {
      const stored = await this.#storage.load();
      const pages = Map.groupBy(stored.flatMap(readPage), ({ text }) => text);
      const texts = stored.flatMap((entry) => readText(entry, pages)).filter(({ id }) => !this.#written.has(id));
      const ids = new Set(stored.map(({ id }) => id));
      for (const [id, lost] of pages) {
        if (ids.has(textId(id))) continue;
        for (const { number } of lost) this.#try(() => this.#storage.remove(pageId(id, number)));
      }
      return texts.filter((kept) => {
        const isPending = pendingWork(kept).length > 0;
        if (isPending && !kept.block.startsWith(`${root}/`)) return false;
        const numbers = pages.get(kept.id)?.map(({ number }) => number) ?? [];
        this.#written.set(kept.id, { pages: Math.max(0, ...numbers), last: '', isGone: false });
        if (!isPending) this.remove(kept.id);
        return isPending;
      });
    } catch (error) {
      this.#onFailure(error);
      return [];
    }
  }

  #removePages(id: string): void {
    const { pages } = this.#written.get(id) ?? { pages: 0 };
    for (let number = 1; number <= pages; number += 1) this.#try(() => this.#storage.remove(pageId(id, number)));
  }

  #try(work: () => void | Promise<void>): void {
    try {
      work()?.catch(this.#onFailure);
    } catch (error) {
      this.#onFailure(error);
    }
  }
}

/**
 * Returns the conversations in which earlier pages have left typing that is not confirmed. Texts in which everything is confirmed are
 * removed, as by `load`: they were kept for their typing alone.
 */
export async function rootsOfKeptTexts(storage: OutboxStorage): Promise<string[]> {
  const stored = await storage.load();
  const pages = Map.groupBy(stored.flatMap(readPage), ({ text }) => text);
  const texts = stored.flatMap((entry) => readText(entry, pages));
  const pending = texts.filter((kept) => pendingWork(kept).length > 0);
  for (const { id } of texts.filter((kept) => !pending.includes(kept))) {
    await storage.remove(textId(id));
    for (const { number } of pages.get(id) ?? []) await storage.remove(pageId(id, number));
  }
  return [...new Set(pending.map(({ block }) => block.slice(0, block.indexOf('/'))))];
}
