import { TrigramHashes } from '../../search/trigrams.ts';

/** The trigrams of texts as numbers of PostgreSQL's `smallint`: half the room of an `integer`, and enough to rule out by several. */
export class SmallTrigrams {
  readonly #hashes = new TrigramHashes(16);

  of(texts: readonly string[]): number[] {
    return this.#hashes.of(texts).map((hash) => hash - 0x8000);
  }
}
