/** The values that an axis names: from 0, evenly, the last one at or above the highest value; at most five. */
export function ticksTo(highest: number): number[] {
  if (!(highest > 0)) return [0, 1];
  const rough = highest / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough * 0.999) ?? 10 * power;
  const count = Math.ceil(highest / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => Number((index * step).toPrecision(12)));
}

/** Returns a function that maps a value to a position between two others. */
export function scale(highest: number, from: number, to: number): (value: number) => number {
  return (value) => from + (value / highest) * (to - from);
}

export interface Band {
  readonly left: number;
  readonly width: number;
  readonly middle: number;
}

/** Returns even places for so many bars; wide ones are held back, so that a single day does not fill the plot. */
export function bands(count: number, from: number, to: number, widest = 40): Band[] {
  const room = (to - from) / Math.max(count, 1);
  const width = Math.min(widest, room * 0.62);
  return Array.from({ length: count }, (_, index) => {
    const middle = from + room * (index + 0.5);
    return { left: middle - width / 2, width, middle };
  });
}

/** Returns a function that chooses the names under an axis there is room for: every one, every second, … the last is always among them. */
export function namedEvery(count: number, most: number): (index: number) => boolean {
  const step = Math.max(1, Math.ceil(count / most));
  return (index) => (count - 1 - index) % step === 0;
}

/** Parts of one bar on top of each other: where each begins and ends. */
export function stack(parts: readonly number[]): { from: number; to: number }[] {
  let top = 0;
  return parts.map((part) => {
    const from = top;
    top += part;
    return { from, to: top };
  });
}
