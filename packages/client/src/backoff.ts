import type { Clock } from '@loom/kernel';

/** In milliseconds. */
const firstDelay = 250;
const longestDelay = 15_000;

export interface BackoffOptions {
  clock: Clock;
  /** At least 0, less than 1. */
  random: () => number;
}

/**
 * The wait before the next attempt: longer each time, and somewhere between half of that and all of it, so that a thousand
 * clients of a server that comes back do not come at once.
 */
export class Backoff {
  readonly #options: BackoffOptions;
  #attempts = 0;

  constructor(options: BackoffOptions) {
    this.#options = options;
  }

  /** Calls back when it is time for the next attempt; returns how to prevent that. */
  wait(callback: () => void): () => void {
    const { clock, random } = this.#options;
    const most = Math.min(longestDelay, firstDelay * 2 ** this.#attempts);
    this.#attempts += 1;
    return clock.after(most * (0.5 + random() / 2), callback);
  }

  /** Starts over after a success. */
  reset(): void {
    this.#attempts = 0;
  }
}
