/**
 * The kinds of places that a change can touch: a node (its own fields and blocks), its children, its bookmark, or a field of
 * the root.
 */
export type PlaceKind = 'node' | 'children' | 'bookmark' | 'root';

/** The change in effect at each place; `null` takes back what an older part said. */
export type LastChangesDump = Record<PlaceKind, [key: string, seq: number | null][]>;

interface TracedPlace {
  readonly place: PlaceKind;
  readonly key: string;
}

/**
 * The last change in effect at each place. For a node that is the change that last touched it, which the node itself knows,
 * unless that one was undone.
 */
export class LastChanges {
  readonly #places: Record<PlaceKind, Map<string, number>> = perPlace(() => new Map());
  /** Places where an older change counts again, or none, and the newest snapshot does not say so. */
  readonly #fallenBack: Record<PlaceKind, Set<string>> = perPlace(() => new Set());
  readonly #touchOf: (node: string) => number;

  constructor(touchOf: (node: string) => number) {
    this.#touchOf = touchOf;
  }

  get(place: PlaceKind, key: string): number {
    return this.#places[place].get(key) ?? (place === 'node' ? this.#touchOf(key) : 0);
  }

  /** A change is about to be applied there. */
  mark(place: PlaceKind, key: string, seq: number): void {
    if (place !== 'node') this.#places[place].set(key, seq);
    else if (this.#places.node.delete(key)) this.#fallenBack.node.add(key);
  }

  /** The last change there was undone; another one counts now. */
  fallBack(place: PlaceKind, key: string, seq: number): void {
    this.#places[place].set(key, seq);
    this.#fallenBack[place].add(key);
  }

  /**
   * Returns the entries that are still asked for while changes with these traces can be undone: other places are compared
   * with nothing.
   */
  dump(traces: readonly TracedPlace[]): LastChangesDump {
    const traced = keysByPlace(traces);
    return perPlace((place) => [...this.#places[place]].filter(([key]) => place === 'node' || traced[place].has(key)));
  }

  /**
   * Returns the entries that a snapshot made right after a change lacks. At places without a trace of an undoable change it
   * may have left out older changes, which are asked for if one of these traces is there now.
   */
  dumpAfter(seq: number, traces: readonly TracedPlace[]): LastChangesDump {
    const traced = keysByPlace(traces);
    return perPlace((place) => {
      const [current, fallenBack] = [this.#places[place], this.#fallenBack[place]];
      const isUnsaid = (key: string, last: number): boolean => last > seq || traced[place].has(key);
      const unsaid = [...current].filter(([key, last]) => isUnsaid(key, last) && !fallenBack.has(key));
      return [...unsaid, ...[...fallenBack].map((key): [string, number | null] => [key, current.get(key) ?? null])];
    });
  }

  /** A snapshot says this now. Meanwhile something else may be in effect. */
  noteSaved(dump: LastChangesDump): void {
    for (const place of places) {
      for (const [key, seq] of dump[place]) {
        if ((this.#places[place].get(key) ?? null) === seq) this.#fallenBack[place].delete(key);
      }
    }
  }

  load(dump: LastChangesDump): void {
    for (const place of places) {
      for (const [key, seq] of dump[place]) {
        if (seq === null) this.#places[place].delete(key);
        else this.#places[place].set(key, seq);
      }
    }
  }
}

const places = ['node', 'children', 'bookmark', 'root'] as const satisfies PlaceKind[];

function keysByPlace(traces: readonly TracedPlace[]): Record<PlaceKind, ReadonlySet<string>> {
  const keys = perPlace(() => new Set<string>());
  for (const { place, key } of traces) keys[place].add(key);
  return keys;
}

function perPlace<T>(make: (place: PlaceKind) => T): Record<PlaceKind, T> {
  return { node: make('node'), children: make('children'), bookmark: make('bookmark'), root: make('root') };
}
