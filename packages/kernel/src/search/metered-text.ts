import { indexOfMetered } from './work-meter.ts';
import type { WorkMeter } from './work-meter.ts';

/**
 * A line as the regex engine reads it, which takes string objects as well as strings. The engine cannot be interrupted, but it has to ask for every character: each one that it
 * sees for the first time is paid for here with as many steps as the pattern has instructions, the most that the engine does
 * with one character in one search, and when they run out the read throws.
 */
export class MeteredText extends String {
  readonly #text: string;
  readonly #meter: WorkMeter;
  readonly #price: number;
  #reach = -1;

  constructor(text: string, meter: WorkMeter, price: number) {
    super(text);
    this.#text = text;
    this.#meter = meter;
    this.#price = price;
  }

  /** Begins a new search at an offset: everything behind it is paid for again. */
  searchFrom(offset: number): void {
    this.#reach = offset - 1;
    this.#meter.spend(callSteps);
  }

  override charCodeAt(index: number): number {
    if (index > this.#reach) {
      this.#reach = index;
      this.#meter.spend(this.#price);
    }
    return this.#text.charCodeAt(index);
  }

  override indexOf(needle: string, from = 0): number {
    return indexOfMetered(this.#text, needle, from, this.#meter);
  }
}

/** The cost of calling the engine before it reads anything. */
export const callSteps = 8;
