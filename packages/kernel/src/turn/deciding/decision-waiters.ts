import { TurnStopped } from '../turn-writer.ts';

/** Waits for the decisions of people, by the node of the call in question. */
export class DecisionWaiters {
  readonly #waiting = new Map<string, { resolve: () => void; reject: (error: Error) => void }>();

  /** True if somebody is asked. */
  get isAsking(): boolean {
    return this.#waiting.size > 0;
  }

  /** Resolves when a decision may have come; rejects when the turn stops. */
  wait(node: string): Promise<void> {
    return new Promise((resolve, reject) => void this.#waiting.set(node, { resolve, reject }));
  }

  tell(node: string): void {
    this.#waiting.get(node)?.resolve();
    this.#waiting.delete(node);
  }

  end(reason: string): void {
    for (const { reject } of this.#waiting.values()) reject(new TurnStopped(reason));
    this.#waiting.clear();
  }
}
