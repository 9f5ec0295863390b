import type { Clock } from '../../ports.ts';
import type { Store } from '../../store.ts';
import type { RunningTurns } from './running-turns.ts';
import { leaseTime } from './turn-leases.ts';
import type { ForeignTurn, TurnLeases } from './turn-leases.ts';

export interface LeaseSweepOptions {
  store: Store;
  leases: TurnLeases;
  running: Pick<RunningTurns, 'claim'>;
  clock: Clock;
  exclusive?: boolean;
  /** Numbers from 0 up to 1. Default: looks are not put off. */
  random?: () => number;
  recoverRoot: (root: string) => Promise<void>;
}

/** The time between two looks while no lease is about to run out, in milliseconds. */
const lookInterval = 10_000;

/** The most that a look is put off, in milliseconds: processes that look at the same moment get in each other's way. */
const mostJitter = 2_000;

/**
 * Ends turns whose process is gone, in all conversations: without it a turn would stay open until a process opens its
 * conversation that has not seen it before. Where other processes write to the store leases are looked at every ten seconds, and when one of
 * them runs out: a turn whose process is killed has ended 20 seconds later.
 */
export class LeaseSweep {
  readonly #options: LeaseSweepOptions;
  readonly #isShared: boolean;
  #hasStarted = false;
  /** True if it looks at all times, not only while others have leases. */
  #keepsLooking = false;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(options: LeaseSweepOptions) {
    this.#options = options;
    const { store, exclusive = false } = options;
    // A reader's writes are forgotten, so it has nothing to end. If no other process writes, there are only leases of the
    // past.
    this.#isShared = !exclusive && store.capabilities.forgets !== true;
  }

  /** Looks from now on at all times, if other processes write. */
  keepLooking(): void {
    this.#keepsLooking = this.#isShared;
    this.start();
  }

  /** Begins to look, once, and goes on while others have leases. */
  start(): void {
    if (this.#hasStarted || this.#isStopped) return;
    this.#hasStarted = true;
    this.#plan(this.#isShared ? lookInterval : leaseTime);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel?.();
  }

  #plan(milliseconds: number): void {
    if (this.#isStopped) return;
    const { clock, random = () => 0 } = this.#options;
    const jitter = this.#isShared ? random() * mostJitter : 0;
    this.#cancel = clock.after(milliseconds + jitter, () => void this.#sweepAndPlan());
  }

  async #sweepAndPlan(): Promise<void> {
    const next = await this.#sweep().catch(() => leaseTime);
    if (this.#keepsLooking) this.#plan(Math.min(next ?? lookInterval, lookInterval));
    else if (next !== undefined) this.#plan(next);
  }

  /**
   * Recovers turns whose lease has run out. Returns the wait before the next look, in milliseconds, if another process has a
   * lease that may run out.
   */
  async #sweep(): Promise<number | undefined> {
    const turns = await this.#options.leases.foreign();
    const delays = turns.map(({ left }) => left).filter((left) => left > 0);
    for (const turn of turns.filter(({ left }) => left === 0)) {
      if (this.#isStopped) return undefined;
      // A turn that cannot be ended now, as in a log that cannot be read, does not block the others.
      await this.#end(turn).catch(() => delays.push(leaseTime));
    }
    return delays.length === 0 ? undefined : Math.min(...delays);
  }

  async #end(turn: ForeignTurn): Promise<void> {
    const { leases, running, recoverRoot } = this.#options;
    if (turn.root !== undefined) await recoverRoot(turn.root);
    // That of a turn which had ended when its process died, or which waits for a person, says nothing about a process.
    await running.claim(turn.turn, () => leases.discard(turn));
  }
}
