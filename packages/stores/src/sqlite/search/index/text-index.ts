import { join } from 'node:path';
import type { IndexedRoot, IndexedSearch, TextIndex } from '@loom/kernel/search';
import type { PlannedRoot, ScanBudget, ScanTask, SearchReply } from '../search-message.ts';
import { SearchLanes } from '../search-lanes.ts';
import { SearchThread } from '../search-thread.ts';
import type { SearchThreadSettings } from '../search-thread.ts';

export interface SqliteTextIndexOptions extends Partial<Omit<SearchThreadSettings, 'path' | 'cacheBytes'>> {
  /** Where `loom.db` is; the index is kept beside it as `loom.db-search`. */
  directory: string;
  /** How long after its beginning, in milliseconds, a search still goes on with `re2js`. */
  lastChance?: number;
}

/**
 * An index for the texts of a SQLite store. It follows the snapshots of the logs: what is new in them is read by the next search,
 * and entered into the trigram index afterwards, in the background. The file may be deleted at any moment.
 */
export function openSqliteTextIndex({ directory, ...options }: SqliteTextIndexOptions): SqliteTextIndex {
  return new SqliteTextIndex(join(directory, 'loom.db'), options);
}

export class SqliteTextIndex implements TextIndex {
  /** Says where to look, and keeps the index. */
  readonly #planner: SearchThread;
  readonly #lanes: SearchLanes;
  readonly #lastChance: number;
  #indexing: Promise<void> | undefined;
  #runs = 0;
  #isClosed = false;

  constructor(path: string, { lastChance = 400, ...settings }: Omit<SqliteTextIndexOptions, 'directory'>) {
    this.#planner = new SearchThread({ ...settings, path });
    // More than two do not make a search faster on small machines.
    const scanner = (cacheBytes: number): SearchThread => new SearchThread({ ...settings, path, cacheBytes });
    this.#lanes = new SearchLanes([
      [scanner(mainCacheBytes), scanner(mainCacheBytes)],
      // For a search that comes while another one goes on: it takes little memory, and waits for none.
      [scanner(besideCacheBytes)],
    ]);
    this.#lastChance = lastChance;
  }

  /** Begins to start what every search needs: for callers that know that they will search, and have other things to do first. */
  start(): void {
    this.#planner.start();
    this.#lanes.first[0]?.start();
  }

  /** Two searches go on side by side; a third one waits until one of them is over. */
  async *search(search: IndexedSearch): AsyncGenerator<IndexedRoot, void> {
    const scanners = await this.#lanes.take();
    try {
      yield* this.#search(search, scanners);
    } finally {
      this.#lanes.give(scanners);
    }
  }

  async *#search(search: IndexedSearch, scanners: readonly SearchThread[]): AsyncGenerator<IndexedRoot, void> {
    this.#planner.start();
    scanners[0]?.start();
    const planned = await this.#ask(this.#planner, { type: 'plan', search });
    if (planned?.type !== 'planned') {
      for (const root of search.roots) yield { type: 'unknown', root };
      return;
    }
    const run = new SearchRun(threadsFor(planned.roots, scanners), (this.#runs += 1), this.#lastChance);
    // Which conversations and how many blocks is not the threads' business.
    const { roots: _roots, max_blocks: _most, ...options } = search.options;
    const about = {
      identity: planned.identity,
      run: run.number,
      budget: budgetOf(planned.isNative),
      search: { query: search.query, options: { ...options } },
    };
    const tasks = cutTasks(planned.roots);
    const answers: Promise<IndexedRoot[]>[] = [];
    try {
      for (let next = 0; next < tasks.length; next += 1) {
        while (answers.length < Math.min(tasks.length, next + ahead)) {
          answers.push(this.#scan(about, tasks[answers.length] ?? [], run));
        }
        yield* (await answers[next]) ?? [];
      }
    } finally {
      run.end();
      await Promise.all(answers);
      if (planned.isWaiting) void this.#indexAll();
    }
  }

  /** Resolves when everything that is known of the snapshots is entered into the index, or cannot be just now, or so much time is over. */
  async ready(milliseconds?: number): Promise<void> {
    const release = this.#planner.hold();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      if (milliseconds !== undefined) timer = setTimeout(resolve, milliseconds);
    });
    await Promise.race([this.#indexAll(), late]);
    clearTimeout(timer);
    release();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#indexing;
    await Promise.all([this.#planner, ...this.#lanes.all].map((thread) => thread.close()));
  }

  #indexAll(): Promise<void> {
    this.#indexing ??= this.#index().finally(() => (this.#indexing = undefined));
    return this.#indexing;
  }

  async #index(): Promise<void> {
    while (!this.#isClosed) {
      const reply = await this.#ask(this.#planner, { type: 'index', milliseconds: indexMilliseconds });
      if (reply?.type !== 'indexed' || reply.isDone) return;
    }
  }

  async #scan(about: AboutSearch, task: readonly Planned[], run: SearchRun): Promise<IndexedRoot[]> {
    const found = new Map<string, IndexedRoot>();
    const shares = run.threads.map((): PlannedRoot[] => []);
    for (const planned of task) {
      const { root } = planned;
      if (planned.log === undefined) found.set(root, { type: 'unknown', root });
      else if (planned.candidates?.length === 0)
        found.set(root, { type: 'searched', root, blocks: [], truncated: false });
      // Always to the same thread, which may still have its texts.
      else shares[planned.log % shares.length]?.push(planned);
    }
    await Promise.all(
      run.threads.map(async (thread, index) => {
        const roots = shares[index] ?? [];
        const answers = roots.length === 0 ? [] : await this.#scanShare({ ...about, roots }, thread, run);
        for (const answer of answers) found.set(answer.root, answer);
      }),
    );
    return task.map(({ root }) => found.get(root) ?? { type: 'unknown', root });
  }

  /** Where a thread has died nothing is known. */
  async #scanShare(task: ScanTask, thread: SearchThread, run: SearchRun): Promise<IndexedRoot[]> {
    const reply = await Promise.race([this.#ask(thread, { type: 'scan', ...task }), run.over]);
    return reply?.type === 'scanned' ? reply.roots : [];
  }

  /** `undefined` if the thread ended meanwhile, or all is closed. */
  #ask(thread: SearchThread, request: Parameters<SearchThread['ask']>[0]): Promise<SearchReply | undefined> {
    return this.#isClosed ? Promise.resolve(undefined) : thread.ask(request).catch(() => undefined);
  }
}

type Planned = PlannedRoot | { root: string; log: undefined };

type AboutSearch = Omit<ScanTask, 'roots'>;

/** One search while it goes on. */
class SearchRun {
  readonly threads: readonly SearchThread[];
  readonly number: number;
  /** Resolves when no more is wanted: then there is no waiting for a thread that is still starting, or does not look up. */
  readonly over: Promise<undefined>;
  readonly #resolve: (value: undefined) => void;
  readonly #timer: NodeJS.Timeout;

  constructor(threads: readonly SearchThread[], number: number, lastChance: number) {
    this.threads = threads;
    this.number = number;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    [this.over, this.#resolve] = [promise, resolve];
    this.#timer = setTimeout(() => this.#hurry(), lastChance);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#resolve(undefined);
    for (const thread of this.threads) thread.cancel(this.number);
  }

  #hurry(): void {
    for (const thread of this.threads) thread.hurry(this.number);
  }
}

/** One thread has read a little before the second one has started. */
function threadsFor(roots: readonly Planned[], scanners: readonly SearchThread[]): readonly SearchThread[] {
  const candidates = roots.reduce(
    (sum, root) => sum + (root.log === undefined ? 0 : (root.candidates?.length ?? Infinity)),
    0,
  );
  return candidates > fewCandidates ? scanners : scanners.filter((thread, index) => index === 0 || thread.isRunning);
}

/** Of each thread. */
function budgetOf(isNative: boolean): ScanBudget {
  return { isNative, milliseconds: isNative ? nativeMilliseconds : meteredMilliseconds, steps: meteredSteps };
}

/** Cuts roots into pieces that are searched as a whole, so that others need not wait long and a search can end early. */
function cutTasks(roots: readonly Planned[]): Planned[][] {
  const tasks: Planned[][] = [];
  let size = 0;
  for (const planned of roots) {
    const own = planned.log === undefined ? 0 : planned.size;
    // Of the first ones less, since most searches end there.
    if (tasks.length === 0 || size + own > Math.min(largestTask, smallestTask * 4 ** tasks.length)) {
      tasks.push([]);
      size = 0;
    }
    tasks.at(-1)?.push(planned);
    size += own;
  }
  return tasks;
}

/** Stretches, or chunks. */
const fewCandidates = 100;
const smallestTask = 125_000;
const largestTask = 32_000_000;
/** How many pieces are under way or wait for their turn. */
const ahead = 4;
/** Processor time of both engines together in each thread. */
const nativeMilliseconds = 350;
/** If only `re2js` can search: processor time of everything, reading too, in each thread. */
const meteredMilliseconds = 200;
/** Steps for `re2js` in each thread: an eighth of a second at worst. */
const meteredSteps = 4_000_000;
/** In each thread that scans: unpacked texts for the next search. */
const mainCacheBytes = 64_000_000;
const besideCacheBytes = 16_000_000;
const indexMilliseconds = 50;
