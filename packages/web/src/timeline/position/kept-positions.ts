import { isPlainObject } from '@loom/blocks';
import { keptStore } from '../../stores/kept-store.ts';
import type { TextStorage } from '../../stores/kept-store.ts';
import type { Store } from '../../stores/store.ts';

/** The position of a reader: the first row in sight, its message, and how far the row was scrolled out. */
export interface KeptPosition {
  readonly node: string;
  readonly row: string;
  readonly offset: number;
}

type Entry = readonly [address: string, position: KeptPosition];

/** The number of places remembered, those that were left last. */
const most = 100;

/** The reader's position at each address of this tab, also over a reload. At the end of a branch nothing is kept: reading begins there. */
export class KeptPositions {
  readonly #entries: Store<readonly Entry[]>;

  constructor(storage: TextStorage) {
    this.#entries = keptStore(storage, 'loom-positions', { read: readEntries, otherwise: [] });
  }

  get(address: string): KeptPosition | undefined {
    return this.#entries.getSnapshot().find(([known]) => known === address)?.[1];
  }

  keep(address: string, position: KeptPosition): void {
    const others = this.#entries.getSnapshot().filter(([known]) => known !== address);
    this.#entries.set([...others.slice(1 - most), [address, position]]);
  }

  forget(address: string): void {
    if (this.get(address) === undefined) return;
    this.#entries.update((entries) => entries.filter(([known]) => known !== address));
  }
}

function readEntries(value: unknown): readonly Entry[] | undefined {
  if (!Array.isArray(value)) return undefined;
  return value.flatMap((entry: unknown): Entry[] => {
    if (!Array.isArray(entry)) return [];
    const parts: readonly unknown[] = entry;
    const [address, position] = parts;
    if (typeof address !== 'string' || !isPlainObject(position)) return [];
    const { node, row, offset } = position;
    if (typeof node !== 'string' || typeof row !== 'string' || typeof offset !== 'number') return [];
    return [[address, { node, row, offset }]];
  });
}
