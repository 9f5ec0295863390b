/** Random numbers that a seed decides: the same seed gives the same numbers on every machine. */
export class Random {
  #state: number;

  constructor(seed: number) {
    // Neighbouring seeds must not look alike, and an xorshift generator must not start at 0.
    this.#state = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) | 1;
    for (let round = 0; round < 8; round += 1) this.next();
  }

  /** At least 0, less than 1. */
  next(): number {
    let bits = this.#state;
    bits ^= bits << 13;
    bits ^= bits >>> 17;
    bits ^= bits << 5;
    this.#state = bits;
    return (bits >>> 0) / 2 ** 32;
  }

  /** A whole number from 0 up to, but not including, the limit. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  chance(probability: number): boolean {
    return this.next() < probability;
  }

  /** One of the choices; `undefined` only if there are none. */
  pick<T>(choices: readonly T[]): T | undefined {
    return choices[this.below(choices.length)];
  }

  /** One of the names, each as often as its weight says. */
  weigh<Name extends string>(weights: readonly (readonly [Name, number])[], otherwise: Name): Name {
    let left = this.next() * weights.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [name, weight] of weights) {
      left -= weight;
      if (left < 0) return name;
    }
    return otherwise;
  }
}
