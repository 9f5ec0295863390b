/** The number of wrong codes from an address that cost nothing: people paste old links. */
const free = 10;

/** The pause after the next one, in milliseconds; each further one doubles it. */
const firstPause = 1000;
const longestPause = 60_000;

/** An address that sends no wrong code for so long is forgotten, in milliseconds. */
const memory = 10 * 60_000;

/** The number of addresses counted separately; those that come later share one count. */
const mostAddresses = 1000;

interface Guesses {
  count: number;
  last: number;
  pausedUntil: number;
}

/** Wrong sign-in codes, counted by the address that they come from. One that goes on guessing has to wait, longer each time. */
export class WrongCodes {
  readonly #now: () => number;
  readonly #guesses = new Map<string, Guesses>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Notes a wrong code. Returns for how many milliseconds its address has to wait before the next one is looked at as a mistake again. */
  note(address: string): number {
    const now = this.#now();
    const key = this.#keyOf(address, now);
    const { count, pausedUntil } = this.#guesses.get(key) ?? { count: 0, pausedUntil: 0 };
    this.#guesses.delete(key);
    if (now < pausedUntil) {
      this.#guesses.set(key, { count, last: now, pausedUntil });
      return pausedUntil - now;
    }
    const pause = count < free ? 0 : Math.min(firstPause * 2 ** Math.min(count - free, 10), longestPause);
    this.#guesses.set(key, { count: count + 1, last: now, pausedUntil: now + pause });
    return 0;
  }

  #keyOf(address: string, now: number): string {
    // The one that was heard of longest ago stands first.
    for (const [known, { last }] of this.#guesses) {
      if (last + memory > now) break;
      this.#guesses.delete(known);
    }
    return this.#guesses.has(address) || this.#guesses.size < mostAddresses ? address : 'others';
  }
}
