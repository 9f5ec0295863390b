import type { NodeState } from '@loom/kernel';

/**
 * The turns that run in a conversation, from where a person is in it: those that answer there are theirs to steer and to stop; those on
 * other branches belong to another terminal or to another agent.
 */
export class TurnsHere {
  readonly #here = new Set<string>();
  readonly #elsewhere = new Set<string>();
  #expected: string | undefined;

  /** The turns that answer here, in the order in which they began. */
  get live(): ReadonlySet<string> {
    return this.#here;
  }

  isElsewhere(turn: string | undefined): boolean {
    return turn !== undefined && this.#elsewhere.has(turn);
  }

  /** Counts turns that begin at that node while `start` is under way as asked for here, wherever the person is by then. */
  async expecting<T>(node: string, start: () => Promise<T>): Promise<T> {
    this.#expected = node;
    try {
      return await start();
    } finally {
      this.#expected = undefined;
    }
  }

  begin(turn: string, node: string, place: string | undefined): void {
    if (node === place || node === this.#expected) this.#here.add(turn);
    else this.#elsewhere.add(turn);
  }

  end(turn: string): void {
    this.#here.delete(turn);
    this.#elsewhere.delete(turn);
  }

  /** Begins anew with what runs now: what answers a node that leads to the place is here. */
  reset(
    turns: readonly { turn: string; node: string }[],
    nodes: ReadonlyMap<string, NodeState>,
    place: string | undefined,
  ): void {
    const path = new Set<string>();
    for (let at = place; at !== undefined && !path.has(at); at = nodes.get(at)?.parent) path.add(at);
    this.#here.clear();
    this.#elsewhere.clear();
    for (const { turn, node } of turns) (path.has(node) ? this.#here : this.#elsewhere).add(turn);
  }
}
