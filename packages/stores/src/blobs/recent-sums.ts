import type { PieceSums } from './piece-sums.ts';

/** The checksums of the blobs that were read in ranges last: 16 KB for one of 1 GB. */
export class RecentSums {
  readonly #sums = new Map<string, PieceSums>();

  get(id: string): PieceSums | undefined {
    const sums = this.#sums.get(id);
    if (sums !== undefined) this.add(id, sums);
    return sums;
  }

  add(id: string, sums: PieceSums): void {
    this.#sums.delete(id);
    this.#sums.set(id, sums);
    const [oldest] = this.#sums.keys();
    if (this.#sums.size > remembered && oldest !== undefined) this.#sums.delete(oldest);
  }
}

const remembered = 256;
