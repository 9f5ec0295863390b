import type { ListView } from '@loom/sync';
import type { ParamsOf, ResultOf } from '@loom/kernel';
import { z } from 'zod';
import { keptStore } from '../stores/kept-store.ts';
import type { TextStorage } from '../stores/kept-store.ts';
import { Store } from '../stores/store.ts';
import type { ReadableStore } from '../stores/store.ts';
import { bytes } from '../words/amounts.ts';
import type { ImportReport } from './import-report.ts';

const started = z.object({ job: z.string(), what: z.string(), sources: z.array(z.string()) });

/** An import that this page has begun: of which programs, or of which files. */
export type StartedImport = z.infer<typeof started>;

export interface EndedImport extends StartedImport {
  readonly report?: ImportReport;
  /** The reason there is no report. */
  readonly failure?: string;
}

interface Parts {
  ask: <Name extends string>(name: Name, params: ParamsOf<Name>) => Promise<ResultOf<Name>>;
  upload: (file: Blob) => Promise<string>;
  list: ReadableStore<ListView>;
  storage: TextStorage;
  /** Called with each import that ends. */
  ended: (ended: EndedImport) => void;
}

/** The server takes no more in one piece. */
const mostBytes = 1024 ** 3;

/** Histories of other programs: those found, those being imported, and the results. */
export class Imports {
  /** The histories found on the machine that Loom runs on; `undefined` until that is known. */
  readonly found = new Store<ResultOf<'source.list'> | undefined>(undefined);
  /** The imports this page has begun; known after a reload, too. */
  readonly begun: Store<readonly StartedImport[]>;
  readonly ended = new Store<readonly EndedImport[]>([]);
  /** The import whose report is shown. */
  readonly shown = new Store<EndedImport | undefined>(undefined);
  /** True while the reader sees the progress of imports: then no notice is needed. */
  readonly isWatched = new Store(false);
  /** The file that is being sent. */
  readonly sending = new Store<string | undefined>(undefined);
  readonly #parts: Parts;
  readonly #asked = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.begun = keptStore<readonly StartedImport[]>(parts.storage, 'loom-imports', {
      read: (value) => z.array(started).safeParse(value).data,
      otherwise: [],
    });
    parts.list.subscribe(() => this.#look());
  }

  async refresh(): Promise<void> {
    this.found.set(await this.#parts.ask('source.list', {}));
  }

  /** Begins to import the histories found of some programs. Files imported before are not read again. */
  async start(sources: readonly string[], what: string): Promise<void> {
    const { job } = await this.#parts.ask('import.start', { sources: [...sources] });
    this.#begin({ job, what, sources: [...sources] });
  }

  /** Sends files to the server and imports them. */
  async startFiles(files: readonly File[]): Promise<void> {
    const { ask, upload } = this.#parts;
    const large = files.find(({ size }) => size > mostBytes);
    if (large !== undefined) {
      throw new Error(
        `The file ${large.name} has ${bytes(large.size)}, and a browser can send 1 GB. Run: loom import ${large.name}`,
      );
    }
    const uploads: { upload: string; name: string }[] = [];
    try {
      for (const file of files) {
        this.sending.set(file.name);
        uploads.push({ upload: await upload(file), name: file.name });
      }
    } finally {
      this.sending.set(undefined);
    }
    const { job } = await ask('import.start', { uploads });
    this.#begin({ job, what: files.map(({ name }) => name).join(', '), sources: [] });
  }

  /** Pauses an import. The conversations imported so far stay; starting again goes on from there. */
  async pause(job: string): Promise<void> {
    await this.#parts.ask('job.cancel', { job });
  }

  async follow(on: boolean): Promise<void> {
    const following = await this.#parts.ask('import.follow', { on });
    this.found.update((found) => found && { ...found, ...following });
  }

  #begin(begun: StartedImport): void {
    this.begun.update((all) => [...all.slice(-20), begun]);
    this.#look();
  }

  /** Asks for the reports of imports that are over. */
  #look(): void {
    const { jobs } = this.#parts.list.getSnapshot();
    for (const begun of this.begun.getSnapshot()) {
      const isOver = jobs.some(({ id, state }) => id === begun.job && state !== 'running');
      if (!isOver || this.#asked.has(begun.job)) continue;
      this.#asked.add(begun.job);
      void this.#report(begun);
    }
  }

  async #report(begun: StartedImport): Promise<void> {
    const ended = await this.#endOf(begun);
    this.begun.update((all) => all.filter(({ job }) => job !== begun.job));
    this.ended.update((all) => [...all.slice(-20), ended]);
    this.#parts.ended(ended);
    await this.refresh().catch(() => {});
  }

  async #endOf(begun: StartedImport): Promise<EndedImport> {
    try {
      const { state, words, advice, result } = await this.#parts.ask('job.get', { job: begun.job });
      // Loaded late: most visits import nothing.
      const { importReport } = await import('./import-report.ts');
      const { data: report } = importReport.safeParse(result);
      if (report !== undefined) return { ...begun, report };
      const why = advice === undefined ? words : `${words}. ${advice}`;
      return { ...begun, failure: state === 'cancelled' ? 'Paused. Nothing was imported yet.' : why };
    } catch {
      return { ...begun, failure: 'The import has ended, and its report is gone.' };
    }
  }
}

/** Returns true if a file may be a history, by its extension. */
export function mayBeHistory({ name }: { name: string }): boolean {
  return /\.(?:zip|jsonl?|jsonl\.zst|db)$/iu.test(name);
}
