import { Store } from '../../stores/store.ts';
import type { ReadableStore } from '../../stores/store.ts';

/**
 * The blocks the reader has opened and closed, by id. They are kept apart from the drawing: a block that leaves the screen and comes back
 * is as it was left.
 */
export class Folds {
  readonly #chosen = new Map<string, Store<boolean | undefined>>();

  /** Returns the reader's choice for a block, if any. */
  of(key: string): ReadableStore<boolean | undefined> {
    return this.#find(key);
  }

  set(key: string, isOpen: boolean): void {
    this.#find(key).set(isOpen);
  }

  #find(key: string): Store<boolean | undefined> {
    const known = this.#chosen.get(key) ?? new Store<boolean | undefined>(undefined);
    this.#chosen.set(key, known);
    return known;
  }
}
