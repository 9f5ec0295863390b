import { z } from 'zod';
import { Store } from '../stores/store.ts';
import type { WorkHost } from '../work/work-host.ts';
import type { ChangedFile } from './change-set.ts';

const listed = z.object({ items: z.array(z.object({ key: z.string() })), next: z.string().optional() });

/**
 * The changes that the reader has looked at, by their content: a file that is changed again counts as new. They are kept in the reader's
 * home, so that another browser knows them too.
 */
export class Viewed {
  readonly keys = new Store<ReadonlySet<string>>(new Set());
  readonly #ask: WorkHost['ask'];
  /** The beginning of its keys in the reader's home. */
  readonly prefix: string;
  /** The number of ticks that the server has not answered yet. */
  #underWay = 0;

  constructor(ask: WorkHost['ask'], root: string) {
    this.#ask = ask;
    this.prefix = `viewed/${root}/`;
  }

  /** Reads the ticks again, as another browser may have set some; not before the reader's own have arrived. */
  follow(): void {
    if (this.#underWay === 0) void this.load().catch(() => {});
  }

  async load(): Promise<void> {
    const found = new Set<string>();
    let after: string | undefined;
    do {
      const page = listed.parse(
        await this.#ask('home.list', { prefix: this.prefix, limit: 500, ...(after === undefined ? {} : { after }) }),
      );
      for (const { key } of page.items) found.add(key.slice(this.prefix.length));
      after = page.next;
    } while (after !== undefined);
    this.keys.set(found);
  }

  has(file: ChangedFile): boolean {
    return this.keys.getSnapshot().has(contentKey(file));
  }

  async set(file: ChangedFile, isViewed: boolean): Promise<void> {
    const key = contentKey(file);
    const before = this.keys.getSnapshot();
    const now = new Set(before);
    if (isViewed) now.add(key);
    else now.delete(key);
    this.keys.set(now);
    const entry = { key: this.prefix + key, ...(isViewed ? { value: { path: file.path } } : {}) };
    this.#underWay += 1;
    try {
      await this.#ask('home.set', { entries: [entry] });
    } catch (error) {
      this.keys.set(before);
      throw error;
    } finally {
      this.#underWay -= 1;
      this.follow();
    }
  }
}

/** A short name of a change's content. Two different changes share one about once in 2^53 pairs, which costs a tick, and nothing else. */
export function contentKey({ path, kind, diff = '' }: Pick<ChangedFile, 'path' | 'kind' | 'diff'>): string {
  let [high, low] = [0xdeadbeef, 0x41c6ce57];
  for (const character of `${kind}\n${path}\n${diff}`) {
    const code = character.codePointAt(0) ?? 0;
    high = Math.imul(high ^ code, 2_654_435_761);
    low = Math.imul(low ^ code, 1_597_334_677);
  }
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return (4_294_967_296 * (2_097_151 & low) + (high >>> 0)).toString(36);
}
