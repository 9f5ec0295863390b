import { z } from 'zod';
import { Store } from '../../stores/store.ts';

/** The beginning of the keys of searches in the reader's home. */
export const searchKeys = 'searches/';
const listed = z.object({ items: z.array(z.object({ key: z.string(), value: z.unknown() })) });
const kept = z.object({ query: z.string() });

interface SavedPorts {
  readonly ask: (name: 'home.list' | 'home.set', params: object) => Promise<unknown>;
}

/** The searches that a reader keeps, in every browser. A search is kept under its own words. */
export class SavedSearches {
  readonly queries = new Store<readonly string[]>([]);
  readonly #ports: SavedPorts;

  constructor(ports: SavedPorts) {
    this.#ports = ports;
  }

  async load(): Promise<void> {
    const { items } = listed.parse(await this.#ports.ask('home.list', { prefix: searchKeys, limit: 500 }));
    this.queries.set(items.flatMap(({ value }) => kept.safeParse(value).data?.query ?? []).sort());
  }

  has(query: string): boolean {
    return this.queries.getSnapshot().includes(query);
  }

  async set(query: string, isKept: boolean): Promise<void> {
    const entry = { key: searchKeys + keyOf(query), ...(isKept ? { value: { query } } : {}) };
    await this.#ports.ask('home.set', { entries: [entry] });
    this.queries.update((queries) => {
      const others = queries.filter((one) => one !== query);
      return isKept ? [...others, query].sort() : others;
    });
  }
}

/** Keys are short; a search may be long. */
function keyOf(query: string): string {
  return encodeURIComponent(query).slice(0, longestKey);
}

const longestKey = 180;
