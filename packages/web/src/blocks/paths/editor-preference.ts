import { z } from 'zod';
import { whenHomeChanges } from '../../stores/home-changes.ts';
import { Store } from '../../stores/store.ts';
import type { ReadableStore } from '../../stores/store.ts';
import { editorProblem } from './editors.ts';

/** The key in the reader's home. */
const key = 'editor';
const entry = z.object({ items: z.array(z.object({ key: z.string(), value: z.unknown() })) });
const value = z.object({ address: z.string() });

interface EditorPorts {
  readonly ask: (name: 'home.list' | 'home.set', params: object) => Promise<unknown>;
}

/** The editor that a reader opens files with, in every browser; it is asked for when the first path is shown that may be opened. */
export class EditorPreference {
  readonly #ports: EditorPorts;
  readonly #address = new Store<string | undefined>(undefined);
  #isAsked = false;

  constructor(ports: EditorPorts) {
    this.#ports = ports;
    whenHomeChanges(key, () => {
      if (this.#isAsked) void this.#load();
    });
  }

  /** The address of files in the editor; `undefined` without one. */
  get address(): ReadableStore<string | undefined> {
    if (!this.#isAsked) void this.#load();
    return this.#address;
  }

  async #load(): Promise<void> {
    this.#isAsked = true;
    try {
      const { items } = entry.parse(await this.#ports.ask('home.list', { prefix: key, limit: 1 }));
      const found = items.find((item) => item.key === key);
      const kept = value.safeParse(found?.value).data?.address;
      // A home may have been written by another version.
      this.#address.set(kept === undefined || editorProblem(kept) !== undefined ? undefined : kept);
    } catch {
      this.#isAsked = false;
    }
  }

  async set(address: string | undefined): Promise<void> {
    await this.#ports.ask('home.set', { entries: [{ key, ...(address === undefined ? {} : { value: { address } }) }] });
    this.#address.set(address);
  }
}
