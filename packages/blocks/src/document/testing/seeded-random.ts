/** Numbers that look random and are the same for the same seed. */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  }

  /** A whole number from 0 up to, but not including, a limit. */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(choices: readonly T[]): T {
    const [choice] = choices.slice(this.below(choices.length));
    if (choice === undefined) throw new RangeError('there is nothing to pick from');
    return choice;
  }

  shuffle<T>(items: readonly T[]): T[] {
    const keyed = items.map((item) => ({ item, key: this.below(2 ** 32) }));
    return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
  }
}
