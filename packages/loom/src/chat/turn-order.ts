import type { FeedEvent } from '@loom/kernel';

type TurnStarted = Extract<FeedEvent, { type: 'turn-started' }>;

/** Puts the events of turns that run side by side in sequence: those of another turn wait until the one before it is over. */
export class TurnOrder {
  readonly #tell: (event: FeedEvent) => void;
  readonly #announce: (turn: TurnStarted) => void;
  /** The turns not shown to their end, the one being shown first; each with its waiting events. */
  readonly #waiting = new Map<string, FeedEvent[]>();
  readonly #turnOf = new Map<string, string>();

  /** `announce` is called before each of several answers to one message. */
  constructor(tell: (event: FeedEvent) => void, announce: (turn: TurnStarted) => void) {
    this.#tell = tell;
    this.#announce = announce;
  }

  hear(event: FeedEvent): void {
    const turn = this.#find(event);
    if (event.type === 'turn-started') this.#waiting.set(event.turn, []);
    const [current] = this.#waiting.keys();
    const held = turn === undefined || turn === current ? undefined : this.#waiting.get(turn);
    if (held === undefined) this.#pass(event);
    else held.push(event);
  }

  #pass(event: FeedEvent): void {
    if (event.type === 'turn-started' && event.batch !== undefined) this.#announce(event);
    this.#tell(event);
    if (event.type !== 'turn-ended' || !this.#waiting.delete(event.turn)) return;
    const [next] = this.#waiting;
    if (next === undefined) return;
    const [turn, events] = next;
    this.#waiting.set(turn, []);
    for (const held of events) this.#pass(held);
  }

  /** The turn that an event belongs to. */
  #find(event: FeedEvent): string | undefined {
    if ('turn' in event) return event.turn;
    switch (event.type) {
      case 'node-added':
      case 'node-changed': {
        const { id, turn, blocks } = event.node;
        if (turn === undefined) return undefined;
        for (const known of [id, ...blocks.flatMap(({ block_id: block }) => block ?? [])])
          this.#turnOf.set(known, turn);
        return turn;
      }
      case 'block-added': {
        const turn = this.#turnOf.get(event.node);
        if (turn !== undefined && event.block.block_id !== undefined) this.#turnOf.set(event.block.block_id, turn);
        return turn;
      }
      case 'block-removed':
      case 'text-appended':
      case 'text-changed':
      case 'status-changed':
        return this.#turnOf.get(event.block);
      case 'block-changed':
        return this.#turnOf.get(event.node);
      default:
        return undefined;
    }
  }
}
