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
  recoverRoot: (root: string) => Promise<void>;
}

/**
 * Ends turns whose process is gone, in all conversations: without it a turn would stay open until a process opens its
 * conversation that has not seen it before. Leases are looked at after appends of any process, and for as long as another
 * process has one.
 */
export class LeaseSweep {
  readonly #options: LeaseSweepOptions;
  #stopListening: (() => void) | undefined;
  #cancel: (() => void) | undefined;
  #isStopped = false;

  constructor(options: LeaseSweepOptions) {
    this.#options = options;
  }

  /** Begins to watch, once. */
  start(): void {
    const { store, exclusive = false } = this.#options;
    if (this.#stopListening !== undefined || this.#isStopped) return;
    // A reader's writes are forgotten, so it has nothing to end. If no other process writes, there are only leases of the
    // past.
    const isWatched = !exclusive && store.capabilities.forgets !== true;
    this.#stopListening = isWatched ? store.listenAll(() => this.#plan(leaseTime)) : () => {};
    this.#plan(leaseTime);
  }

  stop(): void {
    this.#isStopped = true;
    this.#stopListening?.();
    this.#cancel?.();
  }

  #plan(milliseconds: number): void {
    if (this.#isStopped || this.#cancel !== undefined) return;
    this.#cancel = this.#options.clock.after(milliseconds, () => void this.#sweepAndPlan());
  }

  async #sweepAndPlan(): Promise<void> {
    const next = await this.#sweep().catch(() => leaseTime);
    this.#cancel = undefined;
    if (next !== undefined) this.#plan(next);
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
