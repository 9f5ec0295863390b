import { isTelling } from './line-text.ts';

/** A line that a file is known to have had, and the number of the step that wrote it, if one did. */
export interface KnownLine {
  readonly text: string;
  readonly by: number | undefined;
}

/** Lines that followed each other. `at`: the place of the first, counted from 0, where it is known. */
export interface KnownRun {
  readonly at?: number;
  readonly lines: readonly KnownLine[];
}

/** The known part of a file: runs of its lines, in their order. `isWhole`: the one run is all of it. */
export interface KnownFile {
  readonly runs: readonly KnownRun[];
  readonly isWhole: boolean;
}

/**
 * Finds the lines of a text that a file is known to have had, and returns the steps that wrote them. A line counts where it stands among
 * lines that stood around it, or is the only one of its kind: a line such as `}` is not taken for another one.
 */
export function matchLines({ runs, isWhole }: KnownFile, text: readonly string[]): (number | undefined)[] {
  const match = new LineMatch(text);
  if (isWhole) {
    match.align(runs[0]?.lines ?? [], true);
    return match.steps;
  }
  let displacement = 0;
  const rest: KnownRun[] = [];
  for (const run of runs) {
    const { at } = run;
    const place =
      (at === undefined ? undefined : [at + displacement, at].find((start) => match.fits(run.lines, start))) ??
      match.onlyPlace(run.lines);
    if (place === undefined) rest.push(run);
    else {
      if (at !== undefined) displacement = place - at;
      match.take(run.lines, place);
    }
  }
  // Only now, so that a run that is there as a whole goes before parts of others.
  for (const { lines } of rest) match.align(lines, false);
  return match.steps;
}

class LineMatch {
  readonly steps: (number | undefined)[];
  readonly #text: readonly string[];
  readonly #taken: boolean[];
  readonly #places: Map<string, number[]>;

  constructor(text: readonly string[]) {
    this.#text = text;
    this.#taken = text.map(() => false);
    this.steps = text.map(() => undefined);
    this.#places = placesIn(text, 0, text.length);
  }

  /** Returns true if the lines stand there, are taken by no other ones, and are enough to tell. */
  fits(lines: readonly KnownLine[], start: number): boolean {
    if (start < 0 || start + lines.length > this.#text.length) return false;
    const isSame = lines.every(({ text }, index) => this.#isFree(start + index) && this.#text[start + index] === text);
    return isSame && (lines.length >= 3 || lines.some(({ text }) => isTelling(text)));
  }

  /** Returns the place where the lines stand, if there is only one. */
  onlyPlace(lines: readonly KnownLine[]): number | undefined {
    const rarest = lines.map(({ text }, index) => ({ index, places: this.#places.get(text) ?? [] }));
    const first = rarest.reduce<(typeof rarest)[number] | undefined>(
      (best, one) => (best === undefined || one.places.length < best.places.length ? one : best),
      undefined,
    );
    if (first === undefined || first.places.length > mostPlaces || !lines.some(({ text }) => isTelling(text)))
      return undefined;
    const found = first.places.map((place) => place - first.index).filter((start) => this.fits(lines, start));
    return found.length === 1 ? found[0] : undefined;
  }

  take(lines: readonly KnownLine[], start: number): void {
    for (const [index, { by }] of lines.entries()) this.#takeOne(start + index, by);
  }

  /** Aligns lines with the text as a comparison does. `isWhole`: they begin and end where the text does. */
  align(lines: readonly KnownLine[], isWhole: boolean): void {
    const open: Stretch[] = [
      { from: 0, to: lines.length, start: 0, end: this.#text.length, above: isWhole, below: isWhole },
    ];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      const inner = this.#trim(lines, next);
      if (inner.from >= inner.to || inner.start >= inner.end) continue;
      const anchors = this.#anchors(lines, inner);
      if (anchors.length > 0) open.push(...between(inner, anchors));
      else if (inner.above && inner.below) this.#alignCommon(lines, inner);
      for (const [line, place] of anchors) this.#takeOne(place, lines[line]?.by);
    }
  }

  /** Takes the lines at the bound ends of a stretch that are the same on both sides. */
  #trim(lines: readonly KnownLine[], stretch: Stretch): Stretch {
    let { from, to, start, end } = stretch;
    const isSame = (line: number, place: number): boolean =>
      from < to && start < end && this.#isFree(place) && lines[line]?.text === this.#text[place];
    while (stretch.above && isSame(from, start)) this.#takeOne(start++, lines[from++]?.by);
    while (stretch.below && isSame(to - 1, end - 1)) this.#takeOne(--end, lines[--to]?.by);
    return { ...stretch, from, to, start, end };
  }

  /** Returns the lines that are there once on both sides, as pairs in one order. */
  #anchors(
    lines: readonly KnownLine[],
    { from, to, start, end, above, below }: Stretch,
  ): [line: number, place: number][] {
    const isBound = above && below;
    const own = placesIn(
      lines.slice(from, to).map(({ text }) => text),
      from,
      to,
    );
    const others = isBound ? placesIn(this.#text.slice(start, end), start, end) : this.#places;
    const pairs: [number, number][] = [];
    for (const [text, [line = 0, ...more]] of own) {
      const [place, ...elsewhere] = others.get(text) ?? [];
      if (place === undefined || more.length > 0 || elsewhere.length > 0 || place < start || place >= end) continue;
      if (this.#isFree(place) && (isBound || isTelling(text))) pairs.push([line, place]);
    }
    return longestRising(pairs);
  }

  /** Aligns what lies between two lines that stand where they stood: nothing but their order tells these apart. */
  #alignCommon(lines: readonly KnownLine[], { from, to, start, end }: Stretch): void {
    const [rows, columns] = [to - from, end - start];
    if (rows * columns > mostCompared) return;
    const longest = Array.from({ length: rows + 1 }, () => new Uint32Array(columns + 1));
    const isSame = (row: number, column: number): boolean =>
      this.#isFree(start + column) && lines[from + row]?.text === this.#text[start + column];
    for (let row = rows - 1; row >= 0; row -= 1) {
      for (let column = columns - 1; column >= 0; column -= 1) {
        const value = isSame(row, column)
          ? cell(longest, row + 1, column + 1) + 1
          : Math.max(cell(longest, row + 1, column), cell(longest, row, column + 1));
        (longest[row] ?? new Uint32Array())[column] = value;
      }
    }
    for (let row = 0, column = 0; row < rows && column < columns;) {
      if (isSame(row, column)) {
        this.#takeOne(start + column, lines[from + row]?.by);
        row += 1;
        column += 1;
      } else if (cell(longest, row + 1, column) >= cell(longest, row, column + 1)) row += 1;
      else column += 1;
    }
  }

  #isFree(place: number): boolean {
    return this.#taken[place] === false;
  }

  #takeOne(place: number, by: number | undefined): void {
    this.#taken[place] = true;
    this.steps[place] = by;
  }
}

/** A part of the known lines and the part of the text that it may stand in. `above`, `below`: the two begin, or end, with each other. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly start: number;
  readonly end: number;
  readonly above: boolean;
  readonly below: boolean;
}

function between(stretch: Stretch, anchors: readonly [line: number, place: number][]): Stretch[] {
  const parts: Stretch[] = [];
  let { from, start, above } = stretch;
  for (const [line, place] of anchors) {
    parts.push({ from, to: line, start, end: place, above, below: true });
    [from, start, above] = [line + 1, place + 1, true];
  }
  parts.push({ ...stretch, from, start, above });
  return parts;
}

function placesIn(lines: readonly string[], offset: number, end: number): Map<string, number[]> {
  const places = new Map<string, number[]>();
  for (const [index, text] of lines.entries()) {
    if (offset + index >= end) break;
    const known = places.get(text);
    if (known === undefined) places.set(text, [offset + index]);
    else known.push(offset + index);
  }
  return places;
}

/** Returns as many pairs as possible whose second numbers rise with the first ones. */
function longestRising(pairs: readonly [number, number][]): [number, number][] {
  const sorted = pairs.toSorted(([one], [other]) => one - other);
  const tails: number[] = [];
  const previous: number[] = [];
  for (const [index, [, place]] of sorted.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sorted[tails[middle] ?? 0]?.[1] ?? 0) < place) low = middle + 1;
      else high = middle;
    }
    previous[index] = tails[low - 1] ?? -1;
    tails[low] = index;
  }
  const result: [number, number][] = [];
  for (let at = tails.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) {
    const pair = sorted[at];
    if (pair !== undefined) result.push(pair);
  }
  return result.reverse();
}

function cell(table: readonly Uint32Array[], row: number, column: number): number {
  return table[row]?.[column] ?? 0;
}

const mostCompared = 250_000;
const mostPlaces = 1_000;
