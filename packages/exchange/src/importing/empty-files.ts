import { existsSync } from 'node:fs';
import { z } from 'zod';
import type { ForeignFormat, FoundFile } from './format.ts';

/** The state of a file when it was read. */
type FileState = Pick<FoundFile, 'bytes' | 'modified'>;

/** Files that were read to their end and hold no conversation. They are not offered again before they change. */
export class EmptyFiles {
  readonly #files = new Map<string, FileState>();

  has({ path, bytes, modified }: FoundFile): boolean {
    const known = this.#files.get(path);
    return known !== undefined && known.bytes === bytes && known.modified === modified;
  }

  /** Remembers a file. An uploaded file is gone after its import, and is not remembered. */
  add({ path, name, bytes, modified }: FoundFile): void {
    if (name === undefined) this.#files.set(path, { bytes, modified });
  }

  entries(): Iterable<[string, FileState]> {
    return this.#files.entries();
  }
}

/** Keeps one value from one run of Loom to the next. Losing it does no harm: files are read once more. */
export interface RecordStore {
  read(): Promise<unknown>;
  write(value: unknown): Promise<void>;
}

const recorded = z.object({
  readers: z.string(),
  files: z.record(z.string(), z.object({ bytes: z.number(), modified: z.number() })),
});

/** The empty files, remembered for later runs of Loom. */
export class EmptyFileRecord {
  readonly #empty: EmptyFiles;
  readonly #store: RecordStore | undefined;
  readonly #readers: string;
  #loaded: Promise<void> | undefined;

  constructor(empty: EmptyFiles, store: RecordStore | undefined, readers: string) {
    this.#empty = empty;
    this.#store = store;
    this.#readers = readers;
  }

  load(): Promise<void> {
    this.#loaded ??= this.#read();
    return this.#loaded;
  }

  /** Files that are gone are forgotten. */
  async save(): Promise<void> {
    const files = Object.fromEntries([...this.#empty.entries()].filter(([path]) => existsSync(path)));
    await this.#store?.write({ readers: this.#readers, files });
  }

  async #read(): Promise<void> {
    const { data } = recorded.safeParse(await this.#store?.read());
    // A version of Loom that reads more kinds of history may find something in them.
    if (data?.readers !== this.#readers) return;
    for (const [path, state] of Object.entries(data.files)) this.#empty.add({ path, ...state });
  }
}

/** Returns a name for the readable kinds; it changes with every kind of history that a version of Loom learns. */
export function readersOf(formats: readonly ForeignFormat[]): string {
  return formats.map(({ source, form }) => `${source} ${form}`).join(', ');
}
