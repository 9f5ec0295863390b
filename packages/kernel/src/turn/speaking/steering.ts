import type { SteeringMessage } from '../../provider.ts';

/** Messages for a running call, in the order in which they came. A provider that does not read them leaves them where they wait. */
export class Steering implements AsyncIterable<SteeringMessage> {
  readonly #messages: SteeringMessage[] = [];
  #wake: (() => void) | undefined;
  #isOver = false;

  push(message: SteeringMessage): void {
    this.#messages.push(message);
    this.#wake?.();
  }

  /** Ends the stream of messages. */
  end(): void {
    this.#isOver = true;
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<SteeringMessage, void> {
    for (;;) {
      const next = this.#messages.shift();
      if (next !== undefined) yield next;
      else if (this.#isOver) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }
}
