/**
 * The work that one search may still do, counted in steps so that the same search is cut short at the same place on every
 * machine. A step is one instruction of a pattern on one character, the costliest thing there is: measured at 20 to 35 ns. The
 * default is then a quarter of a second at worst, which leaves a busy machine room below the promised half.
 */
export class WorkMeter {
  readonly #all: number;
  #left: number;

  constructor(steps = defaultSteps) {
    this.#all = steps;
    this.#left = steps;
  }

  /** True while nothing was spent. */
  get isFresh(): boolean {
    return this.#left === this.#all;
  }

  get left(): number {
    return this.#left;
  }

  /** True once work was asked for that there was nothing left for: the search has not seen everything. */
  get exhausted(): boolean {
    return this.#left < 0;
  }

  /** Takes steps, or throws `OutOfWork`. */
  spend(steps: number): void {
    this.#left -= steps;
    if (this.#left < 0) throw new OutOfWork();
  }
}

/** Thrown to leave the regex engine in the middle of a text; it never leaves this folder. */
export class OutOfWork extends Error {
  readonly code = 'out-of-work';

  constructor() {
    super('the search has used up its work; ask for less text or a more selective query');
  }
}

/**
 * `text.indexOf(needle, from)`, metered. One call of V8's search cannot be interrupted, and with a long periodic needle it
 * takes (text × needle): so the text is searched window by window for the head of the needle, and the rest is compared where
 * that is found.
 */
export function indexOfMetered(text: string, needle: string, from: number, meter: WorkMeter): number {
  const head = needle.slice(0, maxHead);
  const last = text.length - needle.length;
  let start = from;
  while (start <= last) {
    const window = text.slice(start, start + windowSize + head.length - 1);
    const index = window.indexOf(head);
    meter.spend(stepsPerScanned * (index === -1 ? window.length : index + needle.length));
    if (index === -1) start += windowSize;
    else if (head.length === needle.length || text.startsWith(needle, start + index)) return start + index;
    else start += index + 1;
  }
  return -1;
}

const defaultSteps = 8_000_000;
const windowSize = 65_536;
const maxHead = 32;
/** A plain scan takes below 1 ns a character, and up to 7 ns where the text nearly repeats the needle. */
export const stepsPerScanned = 1 / 8;
