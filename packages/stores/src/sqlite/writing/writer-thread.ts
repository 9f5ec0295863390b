import type { MessagePort } from 'node:worker_threads';
import { MessageChannel, Worker } from 'node:worker_threads';
import { StoreError } from '@loom/kernel/store';
import type { CommitThread } from './committer.ts';
import type { FailureMessage } from './failure-message.ts';
import { restoreFailure } from './failure-message.ts';
import type { WriteMessage } from './write-message.ts';
import { encodeWorks } from './write-message.ts';
import type { WorkAnswer, WriteWork } from './write-work.ts';

/** A request to the thread: commit a batch, or end. */
export type WriterRequest = { type: 'commit'; works: WriteMessage } | { type: 'close' };

/** A reply of the thread: it is ready, the outcomes of a batch, or the failure of all of it. */
export type WriterReply =
  | { type: 'ready' }
  | { type: 'answers'; answers: WorkAnswer[] }
  | { type: 'failed'; failure: FailureMessage };

/** The start options of the thread. */
export interface WriterOptions {
  /** The database. */
  path: string;
  port: MessagePort;
  /** A counter of the requests. */
  bell: Int32Array<SharedArrayBuffer>;
}

/**
 * Commits in a separate thread, one batch after the other. It is started when it is needed, does not keep the process alive while it has
 * nothing to do, and if it dies the next batch starts another one.
 */
export class WriterThread implements CommitThread {
  readonly #path: string;
  readonly #script: URL;
  #running: RunningThread | undefined;
  #batch: Batch | undefined;
  /** True if the thread would begin with a batch at once. */
  isReady = false;

  /** Takes the path of the database, and the script of the thread. */
  constructor(path: string, script = new URL('./writer-worker.ts', import.meta.url)) {
    this.#path = path;
    this.#script = script;
  }

  /** Starts the thread early, if it is not running. */
  start(): void {
    this.#start();
  }

  /** Rejects if none of the works was done, or, when the thread has died, if that is unknown. One batch at a time. */
  commit(works: readonly WriteWork[]): Promise<WorkAnswer[]> {
    return new Promise((resolve, reject) => {
      if (this.#batch !== undefined) throw new Error('a batch waits for the one before it');
      const running = this.#start();
      this.#batch = { resolve, reject };
      running.worker.ref();
      send(running, { type: 'commit', works: encodeWorks(works) });
    });
  }

  /** Ends the thread after its current work. */
  async close(): Promise<void> {
    const running = this.#running;
    if (running === undefined) return;
    const { worker } = running;
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.ref();
    // One that is still starting has nothing open.
    if (this.isReady) send(running, { type: 'close' });
    else void worker.terminate();
    await ended;
  }

  #start(): RunningThread {
    if (this.#running !== undefined) return this.#running;
    const { port1: port, port2 } = new MessageChannel();
    const bell = new Int32Array(new SharedArrayBuffer(4));
    const worker = new Worker(this.#script, {
      workerData: { path: this.#path, port: port2, bell } satisfies WriterOptions,
      transferList: [port2],
      // Its input is garbage as soon as it is written, and need not pile up before the collector notices.
      resourceLimits: { maxYoungGenerationSizeMb: 8 },
    });
    const running = { worker, port, bell };
    this.#running = running;
    let cause: unknown;
    port.on('message', (reply: WriterReply) => this.#take(reply));
    worker.on('error', (error) => (cause = error));
    worker.on('exit', (code) => this.#ended(running, cause ?? new Error(`it ended with ${code}`)));
    port.unref();
    worker.unref();
    return running;
  }

  #take(reply: WriterReply): void {
    if (reply.type === 'ready') {
      this.isReady = true;
      return;
    }
    const batch = this.#batch;
    this.#batch = undefined;
    this.#running?.worker.unref();
    if (reply.type === 'answers') batch?.resolve(reply.answers);
    else batch?.reject(restoreFailure(reply.failure));
  }

  #ended(running: RunningThread, cause: unknown): void {
    running.port.close();
    if (this.#running !== running) return;
    this.#running = undefined;
    this.isReady = false;
    const batch = this.#batch;
    this.#batch = undefined;
    const message = `the thread that writes loom.db has ended: ${cause instanceof Error ? cause.message : String(cause)}`;
    batch?.reject(new StoreError('store-failed', message, 'Try again: the next write starts a new one.', { cause }));
  }
}

interface RunningThread {
  worker: Worker;
  port: MessagePort;
  bell: Int32Array<SharedArrayBuffer>;
}

interface Batch {
  resolve: (answers: WorkAnswer[]) => void;
  reject: (error: unknown) => void;
}

function send({ port, bell }: RunningThread, request: WriterRequest): void {
  port.postMessage(request, []);
  Atomics.add(bell, 0, 1);
  Atomics.notify(bell, 0);
}
