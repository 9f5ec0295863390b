import type { BlobPort } from '../../blob-port.ts';
import type { Clock } from '../../ports.ts';
import { StoreError } from '../../store.ts';
import { leaseTime } from './turn-leases.ts';

/** The waits before a failed call of the store is made again, in milliseconds: from the first one, doubled up to the last one. */
const firstWait = 100;
const longestWait = 1_000;

/**
 * Lets a turn outlast a store that fails for a while, as a database does that restarts: what failed is tried again for as long as the
 * turn's lease holds. Once another process may have taken the turn there is nothing left to wait for.
 */
export class StorePatience {
  readonly #clock: Clock;
  readonly #leave = new Set<() => void>();
  #isOver = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Begins to count the time for which one call fails. */
  begin(): FailingCall {
    return new FailingCall((milliseconds, error) => this.#wait(milliseconds, error));
  }

  /** Makes a call of the store, again and again while that fails. Only for calls that may be made twice. */
  async retry<T>(call: () => Promise<T>): Promise<T> {
    const failing = this.begin();
    for (;;) {
      try {
        return await call();
      } catch (error) {
        await failing.wait(error);
      }
    }
  }

  /** Ends all waits: the calls fail with what they failed with last. */
  end(): void {
    this.#isOver = true;
    for (const leave of this.#leave) leave();
  }

  #wait(milliseconds: number, error: unknown): Promise<void> {
    if (this.#isOver) return Promise.reject(error);
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        cancel();
        this.#leave.delete(leave);
        reject(error);
      };
      const cancel = this.#clock.after(milliseconds, () => {
        this.#leave.delete(leave);
        resolve();
      });
      this.#leave.add(leave);
    });
  }
}

/** A call of the store that fails, from its first failure on. */
export class FailingCall {
  readonly #pause: (milliseconds: number, error: unknown) => Promise<void>;
  #next = firstWait;
  #waited = 0;

  constructor(pause: (milliseconds: number, error: unknown) => Promise<void>) {
    this.#pause = pause;
  }

  /** Resolves when the call may be made again. Rejects with its failure if that is no use, or if the time is over. */
  async wait(error: unknown): Promise<void> {
    const milliseconds = Math.min(this.#next, leaseTime - this.#waited);
    if (!isPassing(error) || milliseconds <= 0) throw error;
    this.#next = Math.min(2 * this.#next, longestWait);
    this.#waited += milliseconds;
    await this.#pause(milliseconds, error);
  }
}

/** The blobs of a store that may fail for a while. One that comes in pieces fails with its first failure. */
export function patientBlobs(blobs: BlobPort, patience: StorePatience): BlobPort {
  return {
    get: (id, range) => patience.retry(() => blobs.get(id, range)),
    size: (id) => patience.retry(() => blobs.size(id)),
    put: (bytes) => patience.retry(() => blobs.put(bytes)),
    create: () => blobs.create(),
  };
}

/** Returns true for failures that may be over soon. Damage, a newer format and a closed store stay. */
function isPassing(error: unknown): boolean {
  return error instanceof StoreError && (error.code === 'store-failed' || error.code === 'store-locked');
}
