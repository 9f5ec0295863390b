import { z } from 'zod';
import { isPlainObject } from '@loom/blocks';
import { isoTime } from '../iso-time.ts';
import { Listeners } from '../listeners.ts';
import type { Clock, Ids } from '../ports.ts';
import { StoreError } from '../store.ts';

/** Long work as people see it. */
export const jobFacts = z.strictObject({
  id: z.string(),
  kind: z.string().describe('The operation that started it.'),
  agent: z.string().describe('The agent that started it.'),
  root: z.string().exactOptional().describe('The conversation it is about, if any.'),
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  progress: z.number().min(0).max(1).exactOptional().describe('The fraction done, if known.'),
  words: z.string().describe('What it is doing, in a few words; if it failed, why.'),
  code: z.string().exactOptional().describe('The code of the failure, if known, such as store-failed.'),
  advice: z.string().exactOptional().describe('What to do about a failure, if known.'),
  started_at: z.string().describe('A time, as ISO 8601 in UTC.'),
  ended_at: z.string().exactOptional(),
});
export type JobFacts = z.infer<typeof jobFacts>;

/** The handle that the work of a job receives. */
export interface JobHandle {
  /** Given when it is to end; its results until then stay. */
  readonly signal: AbortSignal;
  /** Says how far it is. */
  readonly report: (words: string, progress?: number) => void;
}

interface NewJob {
  kind: string;
  agent: string;
  root?: string;
  words: string;
}

interface KnownJob {
  facts: JobFacts;
  readonly stop: AbortController;
  readonly work: Promise<unknown>;
  result?: unknown;
}

export interface JobsOptions {
  clock: Clock;
  ids: Ids;
  failed: (error: unknown) => void;
}

/** The number of finished jobs that are remembered. */
const mostEnded = 20;

/** The time for which changes are gathered before listeners hear of them, in milliseconds. */
const gathering = 100;

/** The long work of this process: it can be seen and cancelled while it goes on, and its outcome is known for a while. */
export class Jobs {
  readonly #options: JobsOptions;
  readonly #jobs = new Map<string, KnownJob>();
  readonly #listeners: Listeners<readonly JobFacts[]>;
  #isDue = false;

  constructor(options: JobsOptions) {
    this.#options = options;
    this.#listeners = new Listeners(options.failed);
  }

  /** Begins work and returns the id of the job at once. Its result is kept with it. */
  start(about: NewJob, work: (job: JobHandle) => Promise<unknown>): string {
    const { id, done } = this.#begin(about, work);
    void done.then(
      (result) => this.#keep(id, result),
      (error: unknown) => {
        // A failure of the store is reported with the job, to those who asked for it.
        if (!(error instanceof StoreError)) this.#options.failed(error);
      },
    );
    return id;
  }

  /** Does work that the caller waits for. */
  run<T>(about: NewJob, work: (job: JobHandle) => Promise<T>): Promise<T> {
    return this.#begin(about, work).done;
  }

  /** All that are known, the one that was begun last first. */
  list(): JobFacts[] {
    return Array.from(this.#jobs.values(), ({ facts }) => facts).reverse();
  }

  get(id: string): { facts: JobFacts; result?: unknown } | undefined {
    return this.#jobs.get(id);
  }

  /** Asks a job to end. False if it is over, or there is none. */
  cancel(id: string): boolean {
    const job = this.#jobs.get(id);
    if (job?.facts.state !== 'running') return false;
    job.stop.abort();
    return true;
  }

  /** Calls back with all jobs whenever one begins, comes further or ends. Returns how to stop. */
  subscribe(listener: (jobs: readonly JobFacts[]) => void): () => void {
    const stop = this.#listeners.add(listener);
    return () => void stop();
  }

  /** Cancels everything, and waits for it. */
  async rest(): Promise<void> {
    for (const { stop } of this.#jobs.values()) stop.abort();
    await Promise.allSettled(Array.from(this.#jobs.values(), ({ work }) => work));
  }

  #begin<T>({ words, ...about }: NewJob, work: (job: JobHandle) => Promise<T>): { id: string; done: Promise<T> } {
    const { clock, ids } = this.#options;
    const id = `job-${ids.next()}`;
    const stop = new AbortController();
    const report = (now: string, progress?: number): void => {
      const known = progress === undefined ? {} : { progress: Math.min(1, Math.max(0, progress)) };
      this.#change(id, { words: now, ...known });
    };
    const facts: JobFacts = { id, ...about, state: 'running', words, started_at: isoTime(clock.now()) };
    const done = Promise.resolve().then(() => work({ signal: stop.signal, report }));
    const ended = done.then(
      (result) => this.#end(id, stop.signal.aborted ? 'cancelled' : isRefused(result) ? 'failed' : 'done'),
      (error: unknown) => {
        if (error instanceof Error) report(error.message);
        if (error instanceof StoreError) this.#change(id, { code: error.code, advice: error.advice });
        this.#end(id, stop.signal.aborted ? 'cancelled' : 'failed');
      },
    );
    this.#jobs.set(id, { facts, stop, work: ended });
    this.#tellSoon();
    return { id, done };
  }

  #change(id: string, change: Partial<JobFacts>): void {
    const job = this.#jobs.get(id);
    if (job?.facts.state !== 'running') return;
    job.facts = { ...job.facts, ...change };
    this.#tellSoon();
  }

  #keep(id: string, result: unknown): void {
    const job = this.#jobs.get(id);
    if (job !== undefined) job.result = result;
  }

  #end(id: string, state: JobFacts['state']): void {
    const done = state === 'done' ? { progress: 1 } : {};
    this.#change(id, { state, ...done, ended_at: isoTime(this.#options.clock.now()) });
    const over = [...this.#jobs.values()].filter(({ facts }) => facts.state !== 'running');
    for (const { facts } of over.slice(0, -mostEnded)) this.#jobs.delete(facts.id);
  }

  #tellSoon(): void {
    if (this.#isDue || this.#listeners.size === 0) return;
    this.#isDue = true;
    this.#options.clock.after(gathering, () => {
      this.#isDue = false;
      this.#listeners.tell(this.list());
    });
  }
}

function isRefused(result: unknown): boolean {
  return isPlainObject(result) && result['ok'] === false;
}
