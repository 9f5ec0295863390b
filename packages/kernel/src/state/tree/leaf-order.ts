import { compareIds } from './id-order.ts';

/** The part of a node that its place among the leaves depends on. */
export interface Leaf {
  readonly node: { readonly id: string };
  /** The seq of the change that last altered it or made it a leaf; 0 if it is not a leaf. */
  leafSeq: number;
}

/** Leaves in the order of their last activity. Reading the newest few costs as much as they are. */
export class LeafOrder {
  /** The newest last, with their seqs beside. One whose seq is not the leaf's is out of date. */
  #entries: Leaf[] = [];
  #seqs: number[] = [];
  #count = 0;
  #arrangement = {};

  /** Another object whenever the order, or its content, has changed. */
  get arrangement(): object {
    return this.#arrangement;
  }

  get count(): number {
    return this.#count;
  }

  /** A leaf was altered by a change, or a node became one. */
  touch(leaf: Leaf, seq: number): void {
    if (leaf.leafSeq === seq) return;
    const wasLeaf = leaf.leafSeq !== 0;
    if (!wasLeaf) this.#count += 1;
    leaf.leafSeq = seq;
    const isLast = this.#entries.at(-1) === leaf;
    // One that shared its change with another may have been behind it.
    if (!isLast || !wasLeaf || this.#seqs.at(-1) === this.#seqs.at(-2)) this.#arrangement = {};
    if (isLast) {
      this.#seqs[this.#seqs.length - 1] = seq;
      return;
    }
    this.#entries.push(leaf);
    this.#seqs.push(seq);
    // Swept when most of it is out of date, so that each entry is looked at about twice in its life.
    if (this.#entries.length > 2 * this.#count + 64) this.#sweep();
  }

  /** Drops a node that is no longer a leaf. */
  drop(leaf: Leaf): void {
    if (leaf.leafSeq === 0) return;
    this.#arrangement = {};
    this.#count -= 1;
    leaf.leafSeq = 0;
  }

  /** Yields the leaves, newest first. Of those with one change the higher id comes first. */
  *newestFirst(): Generator<string> {
    for (let end = this.#entries.length; end > 0;) {
      let start = end - 1;
      while (start > 0 && this.#seqs[start - 1] === this.#seqs[start]) start -= 1;
      const seq = this.#seqs[start];
      const current = this.#entries
        .slice(start, end)
        .flatMap(({ leafSeq, node }) => (leafSeq === seq ? [node.id] : []));
      // A node that came and went may be there twice.
      yield* [...new Set(current)].sort((a, b) => compareIds(b, a));
      end = start;
    }
  }

  #sweep(): void {
    const current = this.#entries.filter((entry, index) => entry.leafSeq === this.#seqs[index]);
    this.#entries = current;
    this.#seqs = current.map(({ leafSeq }) => leafSeq);
  }
}
