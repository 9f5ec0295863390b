import type { SearchThread } from './search-thread.ts';

/** The threads of one search at a time. */
type Lane = readonly SearchThread[];

/** Gives searches the threads that they run in: the first lane that is free, or, if none is, the one that becomes free first. */
export class SearchLanes {
  readonly #lanes: readonly [Lane, ...Lane[]];
  readonly #busy = new Set<Lane>();
  readonly #waiting: ((lane: Lane) => void)[] = [];

  constructor(lanes: readonly [Lane, ...Lane[]]) {
    this.#lanes = lanes;
  }

  get first(): Lane {
    return this.#lanes[0];
  }

  get all(): SearchThread[] {
    return this.#lanes.flat();
  }

  async take(): Promise<Lane> {
    const free = this.#lanes.find((lane) => !this.#busy.has(lane));
    if (free === undefined) return new Promise((resolve) => void this.#waiting.push(resolve));
    this.#busy.add(free);
    return free;
  }

  give(lane: Lane): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#busy.delete(lane);
    else next(lane);
  }
}
