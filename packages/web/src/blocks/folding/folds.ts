import { Store } from '../../stores/store.ts';
import type { ReadableStore } from '../../stores/store.ts';

/**
 * What the reader has opened and closed, by the ids of blocks. It lives outside of what is drawn: a block that leaves the screen and comes
 * back is as it was left.
 */
export class Folds {
  readonly #chosen = new Map<string, Store<boolean | undefined>>();

  /** What the reader has chosen for a block, if anything. */
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
