import { join } from 'node:path';
import type { IndexedRoot, IndexedSearch, TextIndex } from '@loom/kernel/search';
import type { PlannedRoot, ScanBudget, ScanTask, SearchReply } from './search-message.ts';
import { SearchThread } from './search-thread.ts';
import type { SearchThreadSettings } from './search-thread.ts';

export interface SqliteTextIndexOptions extends Partial<Omit<SearchThreadSettings, 'path' | 'cacheBytes'>> {
  /** Where `loom.db` is; the index is kept beside it as `loom.db-search`. */
  directory: string;
  /** How long a search may go on, in milliseconds, when its pattern was found to hang. */
  lastChance?: number;
}

/**
 * An index for the texts of a SQLite store. It follows the snapshots of the logs: what is new in them is read when somebody searches,
 * and entered into the trigram index afterwards, in the background. The file may be deleted at any moment.
 */
export function openSqliteTextIndex({ directory, ...options }: SqliteTextIndexOptions): SqliteTextIndex {
  return new SqliteTextIndex(join(directory, 'loom.db'), options);
}

export class SqliteTextIndex implements TextIndex {
  /** Never runs what can hang, so that it is always there. */
  readonly #planner: SearchThread;
  readonly #scanners: readonly SearchThread[];
  readonly #lastChance: number;
  #indexing: Promise<void> | undefined;
  #searching: Promise<void> | undefined;
  #isClosed = false;

  constructor(path: string, { lastChance = 200, ...settings }: Omit<SqliteTextIndexOptions, 'directory'>) {
    this.#planner = new SearchThread({ ...settings, path });
    // More than two do not make a search faster on small machines.
    const scanner = (): SearchThread => new SearchThread({ ...settings, path, cacheBytes });
    this.#scanners = [scanner(), scanner()];
    this.#lastChance = lastChance;
  }

  /** Searches follow one another. */
  async *search(search: IndexedSearch): AsyncGenerator<IndexedRoot, void> {
    const before = this.#searching;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#searching = promise;
    await before;
    try {
      yield* this.#search(search);
    } finally {
      resolve();
    }
  }

  async *#search(search: IndexedSearch): AsyncGenerator<IndexedRoot, void> {
    for (const thread of this.#scanners) thread.start();
    const planned = await this.#ask(this.#planner, { type: 'plan', search });
    if (planned?.type !== 'planned') {
      for (const root of search.roots) yield { type: 'unknown', root };
      return;
    }
    const run = new SearchRun(this.#scanners, planned.isNative);
    const { kinds, path_prefix, context_lines, max_matches_per_block } = search.options;
    const about = {
      identity: planned.identity,
      search: { query: search.query, options: { kinds, path_prefix, context_lines, max_matches_per_block } },
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
    await Promise.all([this.#planner, ...this.#scanners].map((thread) => thread.close()));
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
    const shares = run.shares.map((): PlannedRoot[] => []);
    for (const planned of task) {
      const { root } = planned;
      if (planned.log === undefined) found.set(root, { type: 'unknown', root });
      else if (planned.candidates?.length === 0)
        found.set(root, { type: 'searched', root, blocks: [], truncated: false });
      // Always to the same thread, which may still have its texts.
      else shares[planned.log % shares.length]?.push(planned);
    }
    await Promise.all(
      run.shares.map(async (share, index) => {
        const roots = shares[index] ?? [];
        const answers = roots.length === 0 ? [] : await this.#scanShare({ ...about, roots }, share, run);
        for (const answer of answers) found.set(answer.root, answer);
      }),
    );
    return task.map(({ root }) => found.get(root) ?? { type: 'unknown', root });
  }

  /** What hangs is searched again with `re2js`, which counts its steps. */
  async #scanShare(task: Omit<ScanTask, 'budget'>, share: ScanShare, run: SearchRun): Promise<IndexedRoot[]> {
    for (let attempt = 1; attempt <= 2 && !run.isOver; attempt += 1) {
      const { budget } = share;
      if (budget.steps < 0 || budget.milliseconds < 0) break;
      const reply = await Promise.race([this.#ask(share.thread, { type: 'scan', ...task, budget }), run.over]);
      if (run.isOver) break;
      if (reply?.type === 'scanned') {
        share.budget = reply.budget;
        return reply.roots;
      }
      if (reply?.type === 'failed') return [];
      share.budget = { ...budget, isNative: false, milliseconds: meteredMilliseconds };
      share.thread = this.#planner;
      run.endWithin(this.#lastChance);
    }
    return task.roots.map(({ root }) => ({ type: 'searched', root, blocks: [], truncated: true }));
  }

  /** `undefined` if the thread ended meanwhile, or all is closed. */
  #ask(thread: SearchThread, request: Parameters<SearchThread['ask']>[0]): Promise<SearchReply | undefined> {
    return this.#isClosed ? Promise.resolve(undefined) : thread.ask(request).catch(() => undefined);
  }
}

type Planned = PlannedRoot | { root: string; log: undefined };

type AboutSearch = Pick<ScanTask, 'identity' | 'search'>;

/** A thread, and what a search may still do there. */
interface ScanShare {
  thread: SearchThread;
  budget: ScanBudget;
}

/** One search while it goes on. */
class SearchRun {
  readonly shares: readonly ScanShare[];
  isOver = false;
  /** Resolves when it is: nobody waits for a thread that is still starting, or does not look up. */
  readonly over: Promise<undefined>;
  readonly #resolve: (value: undefined) => void;
  #timer: NodeJS.Timeout | undefined;

  constructor(threads: readonly SearchThread[], isNative: boolean) {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    [this.over, this.#resolve] = [promise, resolve];
    const steps = meteredSteps / threads.length;
    const milliseconds = isNative ? nativeMilliseconds : meteredMilliseconds;
    this.shares = threads.map((thread) => ({ thread, budget: { isNative, milliseconds, steps } }));
  }

  /** What is not searched by then is not searched. */
  endWithin(milliseconds: number): void {
    this.#timer ??= setTimeout(() => this.end(), milliseconds);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.isOver = true;
    this.#resolve(undefined);
    for (const { thread } of this.shares) thread.cancel();
  }
}

/** Cuts roots into pieces that are searched as a whole, so that others need not wait long and a search can end early. */
function cutTasks(roots: readonly Planned[]): Planned[][] {
  const tasks: Planned[][] = [];
  let size = 0;
  for (const planned of roots) {
    const own = planned.log === undefined ? 0 : planned.size;
    // Of the first ones less, since most searches end there.
    if (tasks.length === 0 || size + own > Math.min(largestTask, smallestTask * 2 ** tasks.length)) {
      tasks.push([]);
      size = 0;
    }
    tasks.at(-1)?.push(planned);
    size += own;
  }
  return tasks;
}

const smallestTask = 250_000;
const largestTask = 4_000_000;
/** How many pieces are under way or wait for their turn. */
const ahead = 4;
/** Processor time of JavaScript's engine in each thread. */
const nativeMilliseconds = 350;
/** Steps for `re2js`, in all threads together: a quarter of a second at worst. */
const meteredSteps = 8_000_000;
/** With `re2js`: processor time of everything, reading too, in each thread. */
const meteredMilliseconds = 200;
/** In each thread that scans: unpacked texts for the next search. */
const cacheBytes = 64_000_000;
const indexMilliseconds = 50;
