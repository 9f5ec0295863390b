/** Leaves in the order of their last activity. Reading the newest few costs as much as they are. */
export class LeafOrder {
  readonly #stamps = new Map<string, number>();
  /** The newest last. An entry whose stamp is not the leaf's is out of date. */
  #entries: { id: string; stamp: number }[] = [];
  #lastStamp = 0;

  /** A leaf was altered, or a node became one. */
  touch(id: string): void {
    const stamp = ++this.#lastStamp;
    this.#stamps.set(id, stamp);
    const newest = this.#entries.at(-1);
    if (newest?.id === id) {
      newest.stamp = stamp;
      return;
    }
    this.#entries.push({ id, stamp });
    // Swept when most of it is out of date, so that each entry is looked at about twice in its life.
    if (this.#entries.length > 2 * this.#stamps.size + 64) {
      this.#entries = this.#entries.filter((entry) => this.#isCurrent(entry));
    }
  }

  /** A node is no leaf any more. */
  drop(id: string): void {
    this.#stamps.delete(id);
  }

  *newestFirst(): Generator<string> {
    for (let index = this.#entries.length - 1; index >= 0; index -= 1) {
      const entry = this.#entries[index];
      if (entry !== undefined && this.#isCurrent(entry)) yield entry.id;
    }
  }

  #isCurrent({ id, stamp }: { id: string; stamp: number }): boolean {
    return this.#stamps.get(id) === stamp;
  }
}
