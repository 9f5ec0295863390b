import type { FeedEvent, NodeState } from '@loom/kernel';

/** Counts the tokens that models read and write while turns go on: the figures of a call are cumulative, and nothing is counted twice. */
export class TokenCount {
  readonly #count: (direction: 'input' | 'output', tokens: number) => void;
  readonly #live = new Map<string, Map<string, { input: number; output: number }>>();

  constructor(count: (direction: 'input' | 'output', tokens: number) => void) {
    this.#count = count;
  }

  hear(events: readonly FeedEvent[]): void {
    for (const event of events) if (event.type === 'turn-started') this.#live.set(event.turn, new Map());
    for (const event of events) if (event.type === 'node-added' || event.type === 'node-changed') this.#see(event.node);
    for (const event of events) if (event.type === 'turn-ended') this.#live.delete(event.turn);
  }

  #see({ id, turn = '', source }: NodeState): void {
    const nodes = this.#live.get(turn);
    if (nodes === undefined || source.type !== 'model' || source.usage === undefined) return;
    const before = nodes.get(id) ?? { input: 0, output: 0 };
    const { input_tokens: input, output_tokens: output } = source.usage;
    nodes.set(id, { input, output });
    this.#count('input', Math.max(0, input - before.input));
    this.#count('output', Math.max(0, output - before.output));
  }
}
