import type { IdRange } from './id-range.ts';

/** A run of ids that have one value in common, or none. */
export interface Segment<V> extends IdRange {
  readonly value: V | undefined;
}

/**
 * Values by character id, kept as runs. `shift` says what the value of a run is some characters behind its start, for
 * values that are ids themselves; by default it is the same everywhere.
 */
export class RangeMap<V> {
  readonly #runs = new Map<number, Run<V>[]>();
  readonly #shift: (value: V, offset: number) => V;

  constructor(shift: (value: V, offset: number) => V = (value) => value) {
    this.#shift = shift;
  }

  /** Cuts a run of ids into the parts that have one value each, in order. */
  segments({ client, clock, length }: IdRange): Segment<V>[] {
    const runs = this.#runs.get(client) ?? [];
    const end = clock + length;
    const segments: Segment<V>[] = [];
    let next = clock;
    for (let index = firstEndingBehind(runs, clock); next < end; index += 1) {
      const run = runs[index];
      const start = Math.min(run?.clock ?? end, end);
      if (start > next) segments.push({ client, clock: next, length: start - next, value: undefined });
      if (run === undefined || start === end) break;
      next = Math.max(start, next);
      const stop = Math.min(run.clock + run.length, end);
      segments.push({ client, clock: next, length: stop - next, value: this.#shift(run.value, next - run.clock) });
      next = stop;
    }
    return segments;
  }

  /** Gives a run of ids a value, replacing former ones. */
  set(range: IdRange, value: V): void {
    const { client, clock, length } = range;
    const runs = this.#runsOf(client);
    const last = runs.at(-1);
    // Ids are mostly given out in order.
    if (last === undefined || last.clock + last.length <= clock) {
      if (last !== undefined && last.value === value && last.clock + last.length === clock) last.length += length;
      else runs.push({ clock, length, value });
      return;
    }
    const first = this.#cutAt(runs, clock);
    const behind = this.#cutAt(runs, clock + length);
    runs.splice(first, behind - first, { clock, length, value });
  }

  /** Gives every part of a run of ids the value that is made of its present one. */
  update(range: IdRange, change: (value: V | undefined) => V): void {
    for (const segment of this.segments(range)) this.set(segment, change(segment.value));
  }

  #runsOf(client: number): Run<V>[] {
    const known = this.#runs.get(client);
    if (known !== undefined) return known;
    const runs: Run<V>[] = [];
    this.#runs.set(client, runs);
    return runs;
  }

  /** Makes a run begin at a clock, unless it lies in a gap; returns the index of the first run from there on. */
  #cutAt(runs: Run<V>[], clock: number): number {
    const index = firstEndingBehind(runs, clock);
    const run = runs[index];
    if (run === undefined || run.clock >= clock) return index;
    const offset = clock - run.clock;
    const rest = { clock, length: run.length - offset, value: this.#shift(run.value, offset) };
    run.length = offset;
    runs.splice(index + 1, 0, rest);
    return index + 1;
  }
}

interface Run<V> {
  readonly clock: number;
  length: number;
  readonly value: V;
}

function firstEndingBehind<V>(runs: readonly Run<V>[], clock: number): number {
  let low = 0;
  let high = runs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const run = runs[middle];
    if (run !== undefined && run.clock + run.length <= clock) low = middle + 1;
    else high = middle;
  }
  return low;
}
