import { Worker } from 'node:worker_threads';
import { cancelCell, progressCell } from './search-message.ts';
import type { SearchReply, SearchRequest, SearchThreadOptions } from './search-message.ts';

type Ask<R> = R extends unknown ? Omit<R, 'id'> : never;

export interface SearchThreadSettings {
  /** The database. */
  path: string;
  /** How much processor time, in milliseconds, the process may use while a scan does not get on, before the thread is ended. */
  patience?: number;
  /** How many bytes of texts it keeps for the next search. */
  cacheBytes?: number;
  script?: URL;
}

/**
 * A thread that searches, one thing after the other. It is started when it is needed and does not keep the process alive while it has
 * nothing to do. A scan that hangs in a regular expression ends the thread; the next request starts another one.
 */
export class SearchThread {
  readonly #path: string;
  readonly #patience: number;
  readonly #cacheBytes: number;
  readonly #script: URL;
  readonly #asked = new Map<number, Asked>();
  #running: { worker: Worker; control: Int32Array<SharedArrayBuffer> } | undefined;
  #lastId = 0;
  #holds = 0;
  #isClosed = false;
  #watch: NodeJS.Timeout | undefined;

  constructor({
    path,
    patience = 250,
    cacheBytes = 0,
    script = new URL('./search-worker.ts', import.meta.url),
  }: SearchThreadSettings) {
    this.#path = path;
    this.#patience = patience;
    this.#cacheBytes = cacheBytes;
    this.#script = script;
  }

  /** Begins to start it, if it is not there. */
  start(): void {
    this.#start();
  }

  /** Rejects with `SearchThreadEnded` if the thread ends before it has answered. */
  ask(request: Ask<SearchRequest>): Promise<SearchReply> {
    return new Promise((resolve, reject) => {
      const { worker } = this.#start();
      this.#lastId += 1;
      this.#asked.set(this.#lastId, {
        resolve,
        reject,
        isScan: request.type === 'scan',
        isBackground: request.type === 'index',
      });
      worker.postMessage({ ...request, id: this.#lastId }, []);
      this.#keepAlive();
    });
  }

  /** Keeps the process alive until the answer is called: somebody waits for what is done in the background. */
  hold(): () => void {
    this.#holds += 1;
    this.#keepAlive();
    return () => {
      this.#holds -= 1;
      this.#keepAlive();
    };
  }

  /** Scans that were asked for up to now are not wanted any more. */
  cancel(): void {
    if (this.#running !== undefined) Atomics.store(this.#running.control, cancelCell, this.#lastId);
  }

  /** Ends it after what it is doing. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const { worker } = this.#running ?? {};
    if (worker === undefined) return;
    this.cancel();
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    const release = this.hold();
    worker.postMessage('close', []);
    await ended;
    release();
  }

  #start(): { worker: Worker; control: Int32Array<SharedArrayBuffer> } {
    if (this.#running !== undefined) return this.#running;
    const control = new Int32Array(new SharedArrayBuffer(8));
    const worker = new Worker(this.#script, {
      workerData: { path: this.#path, control, cacheBytes: this.#cacheBytes } satisfies SearchThreadOptions,
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

  /** The process waits for those who ask, not for what is done in the background; scans are watched. */
  #keepAlive(): void {
    const asked = [...this.#asked.values()];
    if (this.#holds > 0 || asked.some(({ isBackground }) => !isBackground)) this.#running?.worker.ref();
    else this.#running?.worker.unref();
    const [first] = asked;
    if (first?.isScan !== true) {
      clearInterval(this.#watch);
      this.#watch = undefined;
    } else this.#watch ??= this.#watchProgress();
  }

  #watchProgress(): NodeJS.Timeout {
    let seen = -1;
    let since = processorTime();
    return setInterval(() => {
      const { worker, control } = this.#running ?? {};
      if (worker === undefined || control === undefined) return;
      const progress = Atomics.load(control, progressCell);
      // One that is still starting has not begun.
      if (progress === 0 || progress !== seen) {
        seen = progress;
        since = processorTime();
      } else if (processorTime() - since > this.#patience) {
        since = Infinity;
        // The next one starts while the search is brought to an end otherwise.
        void worker.terminate().then(() => this.#isClosed || this.#start());
      }
    }, this.#patience / 8);
  }
}

/** What the process has used, in milliseconds: on a busy machine a thread may have to wait without hanging. */
function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}

/** The thread hung and was ended, or it died. */
class SearchThreadEnded extends Error {
  readonly code = 'search-thread-ended';

  constructor(cause: unknown) {
    super('the thread that searches has ended; the next search starts another one', { cause });
  }
}

interface Asked {
  resolve: (reply: SearchReply) => void;
  reject: (error: SearchThreadEnded) => void;
  isScan: boolean;
  isBackground: boolean;
}
