import { putOnce } from '../kept-once.ts';
import type { KeptOnce } from '../kept-once.ts';
import { Turns } from '../turns.ts';
import type { SealedFile } from './sealed-file.ts';

/** Values that can be taken once. A value is gone from the file before it is handed out, so that no crash brings it back. */
export class OnceFile {
  readonly #file: SealedFile;
  readonly #turns = new Turns();
  #kept: ReadonlyMap<string, KeptOnce> | undefined;

  constructor(file: SealedFile) {
    this.#file = file;
  }

  put(key: string, once: KeptOnce, now: number): Promise<void> {
    return this.#turns.run(async () => {
      const kept = new Map(await this.#load());
      putOnce(kept, key, once, now);
      await this.#keep(kept);
    });
  }

  take(key: string, now: () => number): Promise<string | undefined> {
    return this.#turns.run(async () => {
      const kept = new Map(await this.#load());
      const found = kept.get(key);
      if (found === undefined) return undefined;
      kept.delete(key);
      await this.#keep(kept);
      return found.until > now() ? found.value : undefined;
    });
  }

  async #keep(kept: ReadonlyMap<string, KeptOnce>): Promise<void> {
    // After a failure the contents of the file are unknown.
    this.#kept = undefined;
    await this.#file.write({ once: Array.from(kept, ([key, { value, until }]) => ({ key, value, until })) });
    this.#kept = kept;
  }

  async #load(): Promise<ReadonlyMap<string, KeptOnce>> {
    if (this.#kept !== undefined) return this.#kept;
    const fields = await this.#file.read();
    // Values that cannot be read are as good as taken: the client that needs one asks for another.
    const once: unknown = fields === undefined || fields === 'damaged' ? [] : fields['once'];
    const entries = Array.isArray(once) ? once.filter(isEntry) : [];
    this.#kept = new Map(entries.map(({ key, value, until }) => [key, { value, until }]));
    return this.#kept;
  }
}

function isEntry(entry: unknown): entry is KeptOnce & { key: string } {
  if (typeof entry !== 'object' || entry === null) return false;
  const { key, value, until } = { key: undefined, value: undefined, until: undefined, ...entry };
  return typeof key === 'string' && typeof value === 'string' && typeof until === 'number';
}
