import * as Y from 'yjs';
import type { IdRange } from './id-range.ts';
import { RangeMap } from './range-map.ts';
import { deletesIn } from './yjs-document.ts';

/** The characters that updates insert and delete, by id. */
export interface UpdateEffect {
  readonly inserted: readonly IdRange[];
  readonly deleted: readonly IdRange[];
}

export function effectOf(updates: readonly Uint8Array[]): UpdateEffect {
  const inserted = updates.flatMap((update) =>
    Y.decodeUpdate(update).structs.map(({ id: { client, clock }, length }) => ({ client, clock, length })),
  );
  return { inserted, deleted: updates.flatMap(deletesIn) };
}

/** Characters, found by id. */
export class CharacterSet {
  readonly #ranges = new RangeMap<true>();

  constructor(ranges: readonly IdRange[] = []) {
    for (const range of ranges) this.add(range);
  }

  add(range: IdRange): void {
    this.#ranges.set(range, true);
  }

  /** The parts of a run of characters that are in the set. */
  within(range: IdRange): IdRange[] {
    return this.#ranges.segments(range).filter(({ value }) => value === true);
  }

  /** The parts of a run of characters that are not in the set. */
  outside(range: IdRange): IdRange[] {
    return this.#ranges.segments(range).filter(({ value }) => value === undefined);
  }
}
