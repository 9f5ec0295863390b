import type { Clock } from '@loom/kernel';
import type { Tokens } from './tokens.ts';

/** Timers take no more than 24 days. */
const longestWait = 24 * 60 * 60 * 1000;

/** The connections, streams and sessions open in the name of tokens. They end with their token, when that is revoked or its time is over. */
export class OpenVisits {
  readonly #tokens: Pick<Tokens, 'endOf'>;
  readonly #clock: Clock;
  readonly #open = new Map<string, Set<() => void>>();

  constructor(tokens: Pick<Tokens, 'endOf' | 'subscribe'>, clock: Clock) {
    this.#tokens = tokens;
    this.#clock = clock;
    tokens.subscribe((token) => this.#end(token));
  }

  /** Returns the number open in the name of a token. */
  countOf(token: string): number {
    return this.#open.get(token)?.size ?? 0;
  }

  /**
   * Registers a visit; `end` is called once when its token has ended, which may be at once. Returns a function to call when the visit ends
   * first.
   */
  enter(token: string, end: () => void): () => void {
    const ends = this.#open.get(token) ?? new Set();
    let stopTimer = (): void => {};
    const leave = (): void => {
      stopTimer();
      ends.delete(over);
      if (ends.size === 0 && this.#open.get(token) === ends) this.#open.delete(token);
    };
    const over = (): void => {
      leave();
      end();
    };
    const look = (): void => {
      const left = this.#tokens.endOf(token) - this.#clock.now();
      if (left <= 0) over();
      else if (left < Infinity) stopTimer = this.#clock.after(Math.min(left, longestWait), look);
    };
    this.#open.set(token, ends.add(over));
    look();
    return leave;
  }

  #end(token: string): void {
    for (const over of this.#open.get(token) ?? []) over();
  }
}
