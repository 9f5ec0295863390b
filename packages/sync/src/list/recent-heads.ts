import type { ListedRoot } from '@loom/kernel';

/** A conversation as it was last sent. */
export interface TaggedHead {
  item: ListedRoot;
  /** The number of the telling that it was part of. */
  seq: number;
}

/** The conversations that were sent last, each as it is now: what a client that was away for a while has missed. */
export class RecentHeads {
  readonly #most: number;
  /** The one that was sent last comes last. */
  readonly #heads = new Map<string, TaggedHead>();
  /** The last telling of which something is gone. */
  #floor = 0;

  constructor(most: number) {
    this.#most = most;
  }

  keep(head: TaggedHead): void {
    this.#heads.delete(head.item.id);
    this.#heads.set(head.item.id, head);
    if (this.#heads.size <= this.#most) return;
    const [oldest] = this.#heads.values();
    if (oldest === undefined) return;
    this.#heads.delete(oldest.item.id);
    this.#floor = oldest.seq;
  }

  /** Returns every head that was sent after a seq, or `undefined` if that is no longer known. */
  since(seq: number): TaggedHead[] | undefined {
    if (seq < this.#floor) return undefined;
    return [...this.#heads.values()].filter((head) => head.seq > seq);
  }
}
