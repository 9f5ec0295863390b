/** Choices that look random and are the same for the same seed. */
export class SeededRandom {
  #state: bigint;

  constructor(seed: number) {
    this.#state = (BigInt(seed) * 2_654_435_761n + 0x1234_5678n) & mask;
  }

  /** A whole number from 0 up to, but not including, a limit. */
  below(limit: number): number {
    this.#state = (this.#state * 6_364_136_223_846_793_005n + 1_442_695_040_888_963_407n) & mask;
    return Number((this.#state >> 33n) % BigInt(limit));
  }

  chance(percent: number): boolean {
    return this.below(100) < percent;
  }

  pick<T>(choices: readonly T[]): T | undefined {
    return choices.length === 0 ? undefined : choices[this.below(choices.length)];
  }
}

const mask = (1n << 64n) - 1n;
