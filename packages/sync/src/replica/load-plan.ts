import type { ConversationView } from './conversation-view.ts';

/** The number of nodes asked for at once; those that do not fit into an answer are asked for again. */
const batch = 200;

/** Plans the requests for nodes with their content: one request at a time, those that a reader waits for first. */
export class LoadPlan {
  readonly #isAll: boolean;
  readonly #wanted = new Set<string>();
  #request: string | undefined;

  /** `isAll`: everything that is in an outline. */
  constructor(isAll: boolean) {
    this.#isAll = isAll;
  }

  want(ids: Iterable<string>): void {
    for (const id of ids) this.#wanted.add(id);
  }

  /** Returns true if a view has everything that it takes to show it. */
  isEnough(view: ConversationView, isFirst: boolean): boolean {
    if (this.#isAll) return view.isWhole;
    return isFirst || (view.isOutlined && view.stale.size === 0);
  }

  /** Returns the next request, if there is anything to ask for. */
  next(view: ConversationView, newId: () => string): { id: string; nodes: string[] } | undefined {
    if (this.#request !== undefined) return undefined;
    const nodes: string[] = [];
    for (const id of this.#candidates(view)) {
      if (nodes.length >= batch) break;
      if (view.outline.has(id) && !view.nodes.has(id)) nodes.push(id);
      else if (view.isOutlined) this.#wanted.delete(id);
    }
    if (nodes.length === 0) return undefined;
    this.#request = newId();
    return { id: this.#request, nodes };
  }

  /** Returns true if an answer is the one that is awaited. */
  take(id: string): boolean {
    if (id !== this.#request) return false;
    this.#request = undefined;
    return true;
  }

  /** Forgets the request that is under way: it will not be answered. */
  rewind(): void {
    this.#request = undefined;
  }

  *#candidates(view: ConversationView): Iterable<string> {
    yield* this.#wanted;
    yield* view.stale;
    if (this.#isAll) yield* view.outline.keys();
  }
}
