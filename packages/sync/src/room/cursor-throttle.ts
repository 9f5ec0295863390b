import type { Clock, TextCursor } from '@loom/kernel';

/** The shortest time between two cursors of an agent, in milliseconds. */
const pause = 50;

/** Passes cursors on, those of one agent at most every 50 ms: of those in between the last one wins. */
export class CursorThrottle {
  readonly #clock: Pick<Clock, 'after'>;
  readonly #send: (cursor: TextCursor) => void;
  /** The agents whose next cursor waits, with that cursor if there is one. */
  readonly #waiting = new Map<string, TextCursor | undefined>();
  readonly #stops = new Map<string, () => void>();

  constructor(clock: Pick<Clock, 'after'>, send: (cursor: TextCursor) => void) {
    this.#clock = clock;
    this.#send = send;
  }

  offer(cursor: TextCursor): void {
    const { agent } = cursor;
    if (this.#waiting.has(agent)) this.#waiting.set(agent, cursor);
    else this.#pass(cursor);
  }

  forget(agent: string): void {
    this.#stops.get(agent)?.();
    this.#stops.delete(agent);
    this.#waiting.delete(agent);
  }

  close(): void {
    for (const agent of this.#waiting.keys()) this.forget(agent);
  }

  #pass(cursor: TextCursor): void {
    const { agent } = cursor;
    this.#waiting.set(agent, undefined);
    this.#stops.set(
      agent,
      this.#clock.after(pause, () => {
        const next = this.#waiting.get(agent);
        this.forget(agent);
        if (next !== undefined) this.#pass(next);
      }),
    );
    this.#send(cursor);
  }
}
