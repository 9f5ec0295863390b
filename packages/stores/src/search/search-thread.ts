import { Worker } from 'node:worker_threads';
import { cancelCell } from './search-message.ts';
import type { SearchReply, SearchRequest, SearchThreadOptions } from './search-message.ts';

type Ask<R> = R extends unknown ? Omit<R, 'id'> : never;

export interface SearchThreadSettings {
  /** The script of the thread, which calls `serveSearches`. */
  script: URL;
  /** The options of that script. */
  place: object;
  /** The longest time that JavaScript's engine may make no progress, in milliseconds of processor time. */
  patience?: number;
  /** The number of bytes of texts it keeps for the next search. */
  cacheBytes?: number;
}

/**
 * A thread that searches, one thing after the other. It is started when it is needed and does not keep the process alive while it has
 * nothing to do. If it dies, the next request starts another one.
 */
export class SearchThread {
  readonly #place: object;
  readonly #patience: number;
  readonly #cacheBytes: number;
  readonly #script: URL;
  readonly #asked = new Map<number, Asked>();
  #running: { worker: Worker; control: Int32Array<SharedArrayBuffer> } | undefined;
  #lastId = 0;
  #holds = 0;

  constructor({ script, place, patience = 75, cacheBytes = 0 }: SearchThreadSettings) {
    this.#script = script;
    this.#place = place;
    this.#patience = patience;
    this.#cacheBytes = cacheBytes;
  }

  /** Starts the thread early, if it is not running. */
  start(): void {
    this.#start();
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Rejects with `SearchThreadEnded` if the thread ends before it has answered. */
  ask(request: Ask<SearchRequest>): Promise<SearchReply> {
    return new Promise((resolve, reject) => {
      const { worker } = this.#start();
      this.#lastId += 1;
      this.#asked.set(this.#lastId, { resolve, reject, isBackground: request.type === 'index' });
      worker.postMessage({ ...request, id: this.#lastId }, []);
      this.#keepAlive();
    });
  }

  /** Keeps the process alive until the returned function is called: a caller waits for background work. */
  hold(): () => void {
    this.#holds += 1;
    this.#keepAlive();
    return () => {
      this.#holds -= 1;
      this.#keepAlive();
    };
  }

  /** Cancels all searches up to this number. */
  cancel(run: number): void {
    if (this.#running !== undefined) Atomics.store(this.#running.control, cancelCell, run);
  }

  /** Ends the thread after its current work. */
  async close(): Promise<void> {
    const { worker } = this.#running ?? {};
    if (worker === undefined) return;
    this.cancel(allRuns);
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    const release = this.hold();
    worker.postMessage('close', []);
    await ended;
    release();
  }

  #start(): { worker: Worker; control: Int32Array<SharedArrayBuffer> } {
    if (this.#running !== undefined) return this.#running;
    const control = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(this.#script, {
      workerData: {
        ...this.#place,
        control,
        cacheBytes: this.#cacheBytes,
        patience: this.#patience,
      } satisfies SearchThreadOptions,
    });
    let cause: unknown;
    worker.on('message', (reply: SearchReply) => this.#take(reply));
    worker.on('error', (error) => (cause = error));
    worker.on('exit', () => this.#ended(worker, cause));
    worker.unref();
    return (this.#running = { worker, control });
  }

  #take(reply: SearchReply): void {
    const asked = this.#asked.get(reply.id);
    this.#asked.delete(reply.id);
    this.#keepAlive();
    asked?.resolve(reply);
  }

  #ended(worker: Worker, cause: unknown): void {
    if (this.#running?.worker !== worker) return;
    this.#running = undefined;
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    this.#keepAlive();
    for (const { reject } of asked) reject(new SearchThreadEnded(cause));
  }

  /** Keeps the process alive for the searches that were asked for, not for background work. */
  #keepAlive(): void {
    const asked = [...this.#asked.values()];
    if (this.#holds > 0 || asked.some(({ isBackground }) => !isBackground)) this.#running?.worker.ref();
    else this.#running?.worker.unref();
  }
}

/** The thread died. */
class SearchThreadEnded extends Error {
  readonly code = 'search-thread-ended';

  constructor(cause: unknown) {
    super('the thread that searches has ended; the next search starts another one', { cause });
  }
}

interface Asked {
  resolve: (reply: SearchReply) => void;
  reject: (error: SearchThreadEnded) => void;
  isBackground: boolean;
}

const allRuns = 2 ** 31 - 1;
