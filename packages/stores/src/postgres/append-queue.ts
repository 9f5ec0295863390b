import { StoreError } from '@loom/kernel/store';
import type { AppendOutcome, WaitingAppend } from './append-batch.ts';

/** Makes appends to logs that are all different, in one statement. */
export type MakeAppends = (appends: readonly WaitingAppend[]) => Promise<AppendOutcome[]>;

/**
 * Group commit: appends that wait while others are under way share a statement, and so one wait for the disk of the database. Appends to one
 * log are made one after the other, in the order in which they were asked for.
 */
export class AppendQueue {
  readonly #make: MakeAppends;
  readonly #lanes: number;
  #waiting: Waiting[] = [];
  /** The logs of the statements under way. */
  readonly #busy = new Set<string>();
  #underWay = 0;
  #isPlanned = false;

  constructor(make: MakeAppends, lanes: number) {
    this.#make = make;
    this.#lanes = lanes;
  }

  submit(append: WaitingAppend, size: number): Promise<AppendOutcome> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ append, size, resolve, reject });
      this.#plan();
    });
  }

  /** Starts a statement after this tick, which may bring more appends. */
  #plan(): void {
    if (this.#isPlanned || this.#underWay >= this.#lanes || this.#waiting.length === 0) return;
    this.#isPlanned = true;
    setImmediate(() => {
      this.#isPlanned = false;
      const batch = this.#take();
      if (batch.length === 0) return;
      void this.#run(batch);
      this.#plan();
    });
  }

  async #run(batch: readonly Waiting[]): Promise<void> {
    this.#underWay += 1;
    for (const { append } of batch) this.#busy.add(append.log);
    await this.#settle(batch);
    for (const { append } of batch) this.#busy.delete(append.log);
    this.#underWay -= 1;
    this.#plan();
  }

  async #settle(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#make(batch.map(({ append }) => append));
      for (const [index, { resolve }] of batch.entries()) {
        resolve(outcomes[index] ?? { isDone: false, end: undefined });
      }
    } catch (error) {
      const isDamage = error instanceof StoreError && error.code === 'store-corrupt';
      // The damage of one log took the statement back, but is no matter of the others.
      if (isDamage && batch.length > 1) for (const one of batch) await this.#settle([one]);
      else for (const { reject } of batch) reject(error);
    }
  }

  #take(): Waiting[] {
    const [batch, rest]: [Waiting[], Waiting[]] = [[], []];
    const taken = new Set<string>();
    let size = 0;
    for (const waiting of this.#waiting) {
      const { log } = waiting.append;
      const isFree = !taken.has(log) && !this.#busy.has(log);
      const hasRoom = batch.length === 0 || (size + waiting.size <= mostBytes && batch.length < mostAppends);
      taken.add(log);
      if (isFree && hasRoom) {
        batch.push(waiting);
        size += waiting.size;
      } else {
        rest.push(waiting);
      }
    }
    this.#waiting = rest;
    return batch;
  }
}

interface Waiting {
  append: WaitingAppend;
  size: number;
  resolve: (outcome: AppendOutcome) => void;
  reject: (error: unknown) => void;
}

// Bounds how long one statement keeps its logs locked.
const mostBytes = 4 * 1024 * 1024;
const mostAppends = 500;
