import type { IndexedRoot, IndexedSearch, TextIndex } from '@loom/kernel/search';
import { SearchLanes } from './search-lanes.ts';
import type { PlannedRoot, ScanBudget, ScanTask, SearchReply } from './search-message.ts';
import type { SearchThread } from './search-thread.ts';

/** The parts and limits of an index whose work is done in threads. */
export interface ThreadedTextIndexOptions extends TextIndexLimits {
  /** Makes a thread. */
  thread: (cacheBytes: number) => SearchThread;
  /** Enters what was written since the last time, whenever the logs are followed. */
  enterNews: (indexer: IndexingThread) => Promise<void>;
  /** Called when it is closed and its threads have ended. */
  closed?: () => Promise<void>;
}

/** The limits of searches, with usual values. */
export interface TextIndexLimits {
  /** The longest wait of a search for recent writes to be indexed, in milliseconds. */
  catchUp?: number;
  /** Processor time that a search has in each thread, in milliseconds. */
  milliseconds?: number;
  /** Steps for `re2js` in each thread. */
  steps?: number;
  /** Calls back after so many milliseconds, unless that is taken back. */
  after?: (milliseconds: number, callback: () => void) => () => void;
}

/** The thread that keeps the index, for those that decide when it works. */
export interface IndexingThread {
  /** Enters everything; false if that cannot be done now. */
  enterAll(): Promise<boolean>;
  /** Enters some conversations; false if that cannot be done now. */
  enter(roots: readonly string[]): Promise<boolean>;
}

/** Searches in threads what another thread has entered: the way of every index here, wherever its rows are. */
export class ThreadedTextIndex implements TextIndex {
  /** Keeps the index. */
  readonly #indexer: SearchThread;
  readonly #lanes: SearchLanes;
  readonly #catchUpMilliseconds: number;
  readonly #budget: Omit<ScanBudget, 'isNative'>;
  #indexing: Promise<boolean> | undefined;
  readonly #entering: IndexingThread = {
    enterAll: () => this.#indexAll(),
    enter: (first) => this.#enterUntilDone({ first, onlyFirst: true }),
  };
  readonly #enterNews: ThreadedTextIndexOptions['enterNews'];
  readonly #closed: ThreadedTextIndexOptions['closed'];
  readonly #after: NonNullable<TextIndexLimits['after']>;
  #stopFollowing: (() => void) | undefined;
  #runs = 0;
  #isClosed = false;

  constructor({
    catchUp = 150,
    milliseconds = 300,
    steps = 8_000_000,
    after = afterUnref,
    thread,
    enterNews,
    closed,
  }: ThreadedTextIndexOptions) {
    this.#indexer = thread(0);
    this.#enterNews = enterNews;
    this.#closed = closed;
    // More than two do not make a search faster on small machines.
    this.#lanes = new SearchLanes([
      [thread(mainCacheBytes), thread(mainCacheBytes)],
      // For a search that comes while another one goes on: it takes little memory, and waits for none.
      [thread(besideCacheBytes)],
    ]);
    this.#catchUpMilliseconds = catchUp;
    this.#budget = { milliseconds, steps };
    this.#after = after;
  }

  /** Starts the threads that every search needs: for callers that know that they will search, and have other things to do first. */
  start(): void {
    this.#indexer.start();
    this.#lanes.first[0]?.start();
  }

  /** Indexes new changes from now on, within a second, until it is closed. */
  follow(): void {
    if (this.#stopFollowing !== undefined) return;
    const goOn = (): void => {
      if (!this.#isClosed)
        this.#stopFollowing = this.#after(followMilliseconds, () => void this.#enterNews(this.#entering).finally(goOn));
    };
    goOn();
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
    const { query, roots, after } = search;
    const [first] = scanners;
    first?.start();
    const plan = async (): Promise<SearchReply | undefined> =>
      first && (await this.#ask(first, { type: 'plan', search: { query, roots } }));
    let planned = await plan();
    const missing = planned?.type === 'planned' ? planned.roots.filter(({ log }) => log === undefined) : [];
    if (missing.length > 0) {
      await this.#catchUp(missing.map(({ root }) => root));
      planned = await plan();
    }
    if (planned?.type !== 'planned') {
      for (const root of roots) yield { type: 'unknown', root };
      return;
    }
    const run = new SearchRun(threadsFor(planned.roots, scanners), (this.#runs += 1));
    // The threads need to know neither the conversations nor the number of blocks.
    const {
      kinds,
      path_prefix,
      agents,
      roles,
      errors,
      after: since,
      before,
      context_lines,
      max_matches_per_block,
    } = search.options;
    const options = {
      kinds,
      path_prefix,
      agents,
      roles,
      errors,
      after: since,
      before,
      context_lines,
      max_matches_per_block,
    };
    const [root] = roots;
    const about: AboutSearch = {
      identity: planned.identity,
      run: run.number,
      budget: { isNative: planned.isNative, ...this.#budget },
      search: { query, options },
      ...(root !== undefined && after !== undefined && { begin: { root, after } }),
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
    }
  }

  /** Resolves when everything is entered into the index, or cannot be just now, or so much time is over. */
  async ready(milliseconds?: number): Promise<void> {
    const release = this.#indexer.hold();
    await within(this.#indexAll(), milliseconds);
    release();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#stopFollowing?.();
    // Work in the background keeps no process alive, but here it is waited for.
    const release = this.#indexer.hold();
    await this.#indexing;
    release();
    await Promise.all([this.#indexer, ...this.#lanes.all].map((thread) => thread.close()));
    await this.#closed?.();
  }

  /** Indexes what was written before the search, as far as that takes no longer than searching it directly. */
  async #catchUp(roots: readonly string[]): Promise<void> {
    const milliseconds = this.#catchUpMilliseconds;
    const entered = this.#ask(this.#indexer, { type: 'index', milliseconds, first: roots });
    const isDone = await within(
      entered.then((reply) => reply?.type === 'indexed' && reply.isDone),
      milliseconds,
    );
    // The rest is indexed while the search goes on, and after it.
    if (isDone !== true) void this.#indexAll();
  }

  #indexAll(): Promise<boolean> {
    this.#indexing ??= this.#index().finally(() => (this.#indexing = undefined));
    return this.#indexing;
  }

  /** Returns true when everything is entered, and false if that cannot be done now. */
  #index(): Promise<boolean> {
    return this.#enterUntilDone({ first: [] });
  }

  async #enterUntilDone(what: { first: readonly string[]; onlyFirst?: boolean }): Promise<boolean> {
    while (!this.#isClosed) {
      const reply = await this.#ask(this.#indexer, { type: 'index', milliseconds: indexMilliseconds, ...what });
      if (reply?.type !== 'indexed') return false;
      if (reply.isDone) return true;
    }
    return false;
  }

  async #scan(about: AboutSearch, task: readonly Planned[], run: SearchRun): Promise<IndexedRoot[]> {
    const found = new Map<string, IndexedRoot>();
    const shares = run.threads.map((): PlannedRoot[] => []);
    for (const planned of task) {
      const { root } = planned;
      if (planned.log === undefined) found.set(root, { type: 'unknown', root });
      else if (planned.candidates?.length === 0) found.set(root, { type: 'searched', root, blocks: [] });
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

  /** Scans the share of one thread. Returns nothing if the thread has died. */
  async #scanShare(task: ScanTask, thread: SearchThread, run: SearchRun): Promise<IndexedRoot[]> {
    const reply = await Promise.race([this.#ask(thread, { type: 'scan', ...task }), run.over]);
    return reply?.type === 'scanned' ? reply.roots : [];
  }

  /** `undefined` if the thread ended meanwhile, or all is closed. */
  #ask(thread: SearchThread, request: Parameters<SearchThread['ask']>[0]): Promise<SearchReply | undefined> {
    return this.#isClosed ? Promise.resolve(undefined) : thread.ask(request).catch(() => undefined);
  }
}

/** Does not keep the process alive. */
function afterUnref(milliseconds: number, callback: () => void): () => void {
  const timer = setTimeout(callback, milliseconds).unref();
  return () => clearTimeout(timer);
}

type Planned = PlannedRoot | { root: string; log: undefined };

type AboutSearch = Omit<ScanTask, 'roots'>;

/** One search while it goes on. */
class SearchRun {
  readonly threads: readonly SearchThread[];
  readonly number: number;
  /** Resolves when no more results are wanted: then nothing waits for a thread that is still starting or does not respond. */
  readonly over: Promise<undefined>;
  readonly #resolve: (value: undefined) => void;

  constructor(threads: readonly SearchThread[], number: number) {
    this.threads = threads;
    this.number = number;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    [this.over, this.#resolve] = [promise, resolve];
  }

  end(): void {
    this.#resolve(undefined);
    for (const thread of this.threads) thread.cancel(this.number);
  }
}

/** Returns the result of some work, or `undefined` if it takes longer than the limit; without a limit it may take any time. */
async function within<T>(work: Promise<T>, milliseconds: number | undefined): Promise<T | undefined> {
  if (milliseconds === undefined) return work;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => (timer = setTimeout(resolve, milliseconds, undefined)));
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
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

/** Stretches. */
const fewCandidates = 100;
const smallestTask = 125_000;
const largestTask = 32_000_000;
/** The number of pieces under way or queued. */
const ahead = 4;
/** The size of the cache of unpacked texts in each thread that scans, for the next search. */
const mainCacheBytes = 64_000_000;
const besideCacheBytes = 16_000_000;
const indexMilliseconds = 50;
const followMilliseconds = 500;
