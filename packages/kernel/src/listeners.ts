/**
 * A set of listening functions. One that throws does not keep the others from hearing, and does not make the caller fail.
 */
export class Listeners<Item> {
  readonly #failed: (error: unknown) => void;
  readonly #listeners = new Set<(item: Item) => void>();

  constructor(failed: (error: unknown) => void) {
    this.#failed = failed;
  }

  get size(): number {
    return this.#listeners.size;
  }

  /**
   * Adds a listener. The same function may listen twice: each call has its own end. Returns a function that stops it and
   * returns true if it was still heard.
   */
  add(listener: (item: Item) => void): () => boolean {
    const own = (item: Item): void => listener(item);
    this.#listeners.add(own);
    return () => this.#listeners.delete(own);
  }

  tell(item: Item): void {
    for (const listener of this.#listeners) {
      try {
        listener(item);
      } catch (error) {
        this.#failed(error);
      }
    }
  }
}
