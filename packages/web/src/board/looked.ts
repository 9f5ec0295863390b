import { z } from 'zod';
import { keptStore } from '../stores/kept-store.ts';
import type { TextStorage } from '../stores/kept-store.ts';
import { Store } from '../stores/store.ts';
import type { ReadableStore } from '../stores/store.ts';

/** The key in the reader's home that says until when everything was looked at, in every browser. */
export const lookedKey = 'board/looked';
const entry = z.object({ at: z.number() });
const times = z.record(z.string(), z.number());

/** The number of conversations whose last visit is remembered. */
const mostRoots = 300;
/** Without a mark of the reader, turns of the last day are shown. */
const usualReach = 24 * 60 * 60_000;

interface LookedParts {
  readonly ask: (name: string, params: unknown) => Promise<unknown>;
  readonly storage: TextStorage;
  /** The conversation on display. */
  readonly conversation: ReadableStore<{ readonly root: string } | undefined>;
  readonly now?: () => number;
}

/** Knows which ended turns the reader has looked at: by a mark for all of them, and by visits of conversations in this browser. */
export class Looked {
  readonly #parts: LookedParts;
  readonly #now: () => number;
  readonly #visits: Store<Readonly<Record<string, number>>>;
  readonly #at: Store<number>;
  /** The time from which on turns have to be read. */
  readonly since: ReadableStore<number>;
  #root: string | undefined;

  constructor(parts: LookedParts) {
    this.#parts = parts;
    this.#now = parts.now ?? Date.now;
    this.#visits = keptStore<Readonly<Record<string, number>>>(parts.storage, 'loom-visits', {
      read: (value) => times.safeParse(value).data,
      otherwise: {},
    });
    this.#at = new Store(this.#now() - usualReach);
    this.since = this.#at;
    parts.conversation.subscribe(() => this.note());
    this.note();
  }

  /** Reads the reader's mark. */
  async load(): Promise<void> {
    const answer = await this.#parts.ask('home.list', { prefix: lookedKey });
    const { items } = z.object({ items: z.array(z.object({ value: z.unknown() })) }).parse(answer);
    const at = entry.safeParse(items[0]?.value).data?.at;
    if (at !== undefined) this.#at.set(at);
  }

  /** Marks everything that has ended until now as looked at. */
  async markAll(): Promise<void> {
    const at = this.#now();
    await this.#parts.ask('home.set', { entries: [{ key: lookedKey, value: { at } }] });
    this.#at.set(at);
  }

  /** Returns true if a turn of a conversation that ended at a time was looked at. */
  has(root: string, time: number): boolean {
    return time <= Math.max(this.#at.getSnapshot(), this.#visits.getSnapshot()[root] ?? 0);
  }

  /** Remembers that the conversation on display was looked at until now; called when another one is shown, or the page is left. */
  note(): void {
    const root = this.#parts.conversation.getSnapshot()?.root;
    const seen = [this.#root, root].filter((id) => id !== undefined);
    this.#root = root;
    if (seen.length === 0) return;
    const now = this.#now();
    this.#visits.update((before) => {
      const entries = [...Object.entries(before), ...seen.map((id): [string, number] => [id, now])];
      const latest = [...new Map(entries)].sort(([, one], [, other]) => other - one);
      return Object.fromEntries(latest.slice(0, mostRoots));
    });
  }
}
