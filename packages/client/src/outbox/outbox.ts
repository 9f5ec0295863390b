import type { Clock, Ids, Outcome, ResultOf } from '@loom/kernel';
import type { Backoff } from '../backoff.ts';
import { ClientError } from '../client-error.ts';
import { KeptRecords } from './kept-records.ts';
import type { OutboxRecord, OutboxTrouble } from './outbox-record.ts';
import type { OutboxStorage, StorageChange, StoredEntry } from './outbox-storage.ts';
import { assertQueueable } from './queued-operations.ts';
import type { QueuedOperation, QueuedParams, RunningOperation } from './queued-operations.ts';
import { entriesNeeded, referenceTo, resolveReferences } from './references.ts';

/**
 * A piece of work that was done here and is not answered yet. `blocked`: it refers to an entry that was not done. Refused
 * and failed ones stay until they are tried again or discarded.
 */
export interface OutboxEntry extends OutboxRecord {
  readonly state: 'waiting' | 'sending' | 'blocked' | OutboxTrouble['type'];
  /** True if it would be there again after a reload. */
  readonly isKept: boolean;
}

/** `away`: the server does not answer; `signed-out`: it does not let the client in, and nothing is tried before `wake`. */
export type OutboxStatus = 'idle' | 'sending' | 'away' | 'signed-out';

/** An outbox at one moment. */
export interface OutboxView {
  readonly status: OutboxStatus;
  /** In the order in which they were added. */
  readonly entries: readonly OutboxEntry[];
  /** The number of entries that are sent automatically as soon as that is possible. */
  readonly waiting: number;
  /** The number of entries that a person has to look at: refused, failed or blocked. */
  readonly stuck: number;
  /** False while the storage does not take everything, or could not be read. */
  readonly isSafe: boolean;
  /** The contents of the storage that are not entries; `discard` takes their ids, too. */
  readonly damaged: readonly StoredEntry[];
}

/** An entry that was added. */
export interface Queued<Value> {
  readonly id: string;
  /** Its outcome, unless the page is reloaded before. Rejects with a `ClientError` if it failed or was discarded. */
  readonly outcome: Promise<Outcome<Value>>;
  /** Returns a stand-in for an id in its answer, for entries that are added next: `reference('nodes', 0)`. */
  reference(...path: (string | number)[]): string;
}

/** The options that an operation that lets a model work has to be added with. */
type RunOptions<Name> = Name extends RunningOperation ? [options: { runs: true }] : [];

export interface OutboxParts {
  storage: OutboxStorage;
  clock: Clock;
  ids: Ids;
  backoff: Backoff;
  /** Asks the server, once. */
  call: (name: string, params: unknown, key: string) => Promise<Outcome<unknown>>;
  onClose: () => void;
}

interface Waiter {
  resolve: (outcome: Outcome<unknown>) => void;
  reject: (error: ClientError) => void;
}

/** The number of answers that are remembered for entries that are added later and refer to them. */
const mostAnswers = 1000;

/** The longest time that a storage may take, in milliseconds. */
const longestWrite = 2000;

/** So often a server that is there may say that its store has failed, before the others are let past. */
const mostFailures = 5;

/**
 * The work that was done here and is not answered yet. It is kept before it is sent, under a key by which it is done once;
 * it is sent in order, one after the other, as soon as the server is there; and it survives a reload. Work that the server
 * refuses is kept, too.
 */
export class Outbox {
  readonly #parts: OutboxParts;
  readonly #records: KeptRecords;
  readonly #waiters = new Map<string, Waiter>();
  readonly #answers = new Map<string, unknown>();
  readonly #listeners = new Set<() => void>();
  #view: OutboxView | undefined;
  #status: OutboxStatus = 'idle';
  #sending: string | undefined;
  #isWorking = false;
  #isClosed = false;
  #failures = 0;
  #stopWaiting = (): void => {};
  #stopListening = (): void => {};

  constructor(parts: OutboxParts) {
    this.#parts = parts;
    this.#records = new KeptRecords(parts.storage);
  }

  /** Reads what the storage holds, and begins to send it. */
  async open(): Promise<this> {
    const stop = this.#parts.storage.subscribe?.((change) => this.#hear(change));
    if (stop !== undefined) this.#stopListening = stop;
    await this.#records.load();
    this.wake();
    return this;
  }

  /** Calls back after each change; returns how to stop. With `getSnapshot` it is what React's `useSyncExternalStore` takes. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  readonly getSnapshot = (): OutboxView => (this.#view ??= this.#look());

  entries(): readonly OutboxEntry[] {
    return this.getSnapshot().entries;
  }

  /**
   * Keeps something to be done, and sends it as soon as that is possible. Parameters may hold references to entries added
   * before. A refused entry stays, with the reason. Throws a `TypeError` for an operation that cannot wait, or that does not
   * say which text it was made for.
   */
  add<Name extends QueuedOperation>(
    name: Name,
    params: QueuedParams<Name>,
    ...options: RunOptions<Name>
  ): Queued<ResultOf<Name>>;
  add(name: string, params: object, options: { runs: boolean } = { runs: false }): Queued<unknown> {
    assertQueueable(name, params, options.runs);
    const { ids, clock } = this.#parts;
    const id = ids.next();
    const { promise: outcome, resolve, reject } = Promise.withResolvers<Outcome<unknown>>();
    // A caller need not look at it: entries tell the same.
    outcome.catch(() => {});
    this.#waiters.set(id, { resolve, reject });
    this.#records.put({
      id,
      order: this.#records.lastOrder + 1,
      operation: name,
      added: clock.now(),
      ...this.#prepare(params),
    });
    this.#tell();
    void this.#work();
    return { id, outcome, reference: (...path) => referenceTo(id, path) };
  }

  /**
   * Gives an entry up. False if it is under way just now, or is not there. An entry that was under way when a connection was
   * cut may have been done.
   */
  discard(id: string): boolean {
    const isThere = this.#records.get(id) !== undefined || this.#records.damaged.some((entry) => entry.id === id);
    if (!isThere || id === this.#sending) return false;
    this.#records.remove(id);
    this.#reject(id, new ClientError('discarded', 'this was given up before it was sent'));
    this.#tell();
    return true;
  }

  /** Tries an entry once more that was refused or has failed. False if there is no such entry. */
  retry(id: string): boolean {
    const record = this.#records.get(id);
    if (record?.trouble === undefined) return false;
    const { trouble: _trouble, ...rest } = record;
    this.#records.put(rest);
    this.#tell();
    void this.#work();
    return true;
  }

  /** Tries now, rather than after a while: there is a connection again, or another token. */
  wake(): void {
    this.#stopWaiting();
    if (this.#status !== 'sending') this.#setStatus('idle');
    void this.#work();
  }

  /** Sends nothing more. The entries stay in the storage. */
  close(): void {
    this.#isClosed = true;
    this.#stopWaiting();
    this.#stopListening();
    this.#parts.onClose();
  }

  /** Parameters as they are kept and sent: as JSON, with the answers that are known already. */
  #prepare(params: object): Pick<OutboxRecord, 'params' | 'needs'> {
    let prepared: unknown = JSON.parse(JSON.stringify(params));
    for (const known of entriesNeeded(prepared, (id) => this.#answers.has(id)))
      prepared = resolveReferences(prepared, known, this.#answers.get(known));
    return { params: prepared, needs: entriesNeeded(prepared, (id) => this.#records.get(id) !== undefined) };
  }

  async #work(): Promise<void> {
    if (this.#isWorking || this.#isClosed || this.#status === 'away' || this.#status === 'signed-out') return;
    this.#isWorking = true;
    try {
      await this.#records.load();
      for (let next = this.#next(); next !== undefined; next = this.#next()) {
        this.#sending = next.id;
        this.#setStatus('sending');
        const goesOn = await this.#send(next);
        this.#sending = undefined;
        this.#tell();
        if (!goesOn) break;
      }
      if (this.#status === 'sending') this.#setStatus('idle');
    } finally {
      this.#isWorking = false;
      this.#tell();
    }
    // A listener may have asked for another attempt while this one ended.
    if (this.#status === 'idle' && this.#next() !== undefined) void this.#work();
  }

  #next(): OutboxRecord | undefined {
    return this.#isClosed
      ? undefined
      : this.entries().find(({ state, needs }) => state === 'waiting' && needs.length === 0);
  }

  /** False if nothing more can be sent now. */
  async #send({ id, operation, params }: OutboxRecord): Promise<boolean> {
    await this.#kept();
    try {
      const outcome = await this.#parts.call(operation, params, id);
      if (this.#isClosed) return false;
      this.#parts.backoff.reset();
      this.#failures = 0;
      if (outcome.ok) this.#finish(id, outcome.value);
      else this.#putAside(id, { type: 'refused', refusal: outcome.refusal });
      this.#waiters.get(id)?.resolve(outcome);
      this.#waiters.delete(id);
      return true;
    } catch (error) {
      return !this.#isClosed && this.#takeFailure(id, asClientError(error));
    }
  }

  /**
   * Waits until the storage has the entries under way, because they must be there after a reload; a storage that never
   * answers does not hold it up forever.
   */
  async #kept(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = this.#parts.clock.after(longestWrite, resolve);
    await Promise.race([this.#records.settled(), promise]);
    stop();
  }

  #finish(id: string, answer: unknown): void {
    this.#answers.set(id, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > mostAnswers && oldest !== undefined) this.#answers.delete(oldest);
    // Done before it is removed: entries that refer to it would not find it after a reload in between.
    for (const record of this.#records.all) {
      if (!record.needs.includes(id)) continue;
      const needs = record.needs.filter((needed) => needed !== id);
      this.#records.put({ ...record, needs, params: resolveReferences(record.params, id, answer) });
    }
    this.#records.remove(id);
  }

  /** False if nothing more can be sent now. */
  #takeFailure(id: string, error: ClientError): boolean {
    if (error.isSignedOut) {
      this.#setStatus('signed-out');
      return false;
    }
    const isAnswered = error.code === 'store-failed';
    this.#failures += Number(isAnswered);
    // A proxy that answers in the place of the server tells nothing about the request.
    const isPassing = error.isPassing || error.code === 'not-loom';
    if (isPassing && !(isAnswered && this.#failures >= mostFailures)) {
      this.#setStatus('away');
      this.#stopWaiting = this.#parts.backoff.wait(() => this.wake());
      return false;
    }
    this.#failures = 0;
    this.#putAside(id, { type: 'failed', code: error.code, message: error.message });
    this.#reject(id, error);
    return true;
  }

  #putAside(id: string, trouble: OutboxTrouble): void {
    const record = this.#records.get(id);
    if (record !== undefined) this.#records.put({ ...record, trouble });
  }

  /** Another page has changed the storage that both use. */
  #hear({ id, text }: StorageChange): void {
    if (id === undefined) {
      this.#records.keepAll();
    } else if (text === undefined) {
      this.#records.forget(id);
      if (id !== this.#sending)
        this.#reject(id, new ClientError('taken-over', 'another page has sent or discarded this'));
    } else {
      this.#records.take({ id, text });
    }
    this.#tell();
    void this.#work();
  }

  #reject(id: string, error: ClientError): void {
    this.#waiters.get(id)?.reject(error);
    this.#waiters.delete(id);
  }

  /**
   * Returns the state of each entry. The entries it needs come before it; anything else that a storage may say is blocked.
   */
  #states(): Map<string, OutboxEntry['state']> {
    const states = new Map<string, OutboxEntry['state']>();
    const isOnItsWay = (id: string): boolean => states.get(id) === 'waiting' || states.get(id) === 'sending';
    for (const { id, needs, trouble } of this.#records.all) {
      if (trouble !== undefined) states.set(id, trouble.type);
      else if (id === this.#sending) states.set(id, 'sending');
      else states.set(id, needs.every(isOnItsWay) ? 'waiting' : 'blocked');
    }
    return states;
  }

  #look(): OutboxView {
    const states = this.#states();
    const entries = this.#records.all.map((record) => ({
      ...record,
      state: states.get(record.id) ?? 'waiting',
      isKept: this.#records.isKept(record.id),
    }));
    const waiting = entries.filter(({ state }) => state === 'waiting' || state === 'sending').length;
    const { isSafe, damaged } = this.#records;
    return { status: this.#status, entries, waiting, stuck: entries.length - waiting, isSafe, damaged };
  }

  #setStatus(status: OutboxStatus): void {
    this.#status = status;
    this.#tell();
  }

  #tell(): void {
    this.#view = undefined;
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        // The failure is the listener's, not that of the work under way.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

function asClientError(error: unknown): ClientError {
  if (error instanceof ClientError) return error;
  return new ClientError('broken', error instanceof Error ? error.message : String(error), { cause: error });
}
