import type { Clock } from '../ports.ts';
import { TurnStopped } from './turn-writer.ts';

/** The time that tools and providers that were told to stop may take to do so, in milliseconds. */
const stopTime = 800;

/**
 * Waits for the work of tools and providers. Once they were told to stop they have a moment to tidy up; those that have not
 * settled by then are left behind, and what they still say is ignored.
 */
export class StopPatience {
  readonly signal: AbortSignal;
  readonly #clock: Clock;
  readonly #leave = new Set<() => void>();
  #cancelTimer: (() => void) | undefined;
  #isOver = false;

  constructor(signal: AbortSignal, clock: Clock) {
    this.signal = signal;
    this.#clock = clock;
    signal.addEventListener('abort', () => this.#startTimer());
  }

  /** Resolves with the result of the work. Rejects with `TurnStopped` if it was told to stop and did not. */
  wait<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const leave = (): void => reject(new TurnStopped('halted'));
      this.#leave.add(leave);
      work.then(resolve, reject).finally(() => this.#forget(leave));
      if (this.#isOver) leave();
      else if (this.signal.aborted) this.#startTimer();
    });
  }

  #startTimer(): void {
    if (this.#leave.size === 0 || this.#cancelTimer !== undefined) return;
    this.#cancelTimer = this.#clock.after(stopTime, () => {
      this.#isOver = true;
      for (const leave of this.#leave) leave();
    });
  }

  #forget(leave: () => void): void {
    this.#leave.delete(leave);
    if (this.#leave.size > 0) return;
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
  }
}
