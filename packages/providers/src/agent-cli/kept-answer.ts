import type { Clock } from '@loom/kernel';

/** Asks once and keeps the answer for a while: starting a program for each list that is shown would take too long. */
export class KeptAnswer<T> {
  readonly #clock: Clock;
  readonly #ask: () => Promise<T>;
  readonly #isGood: (answer: T) => boolean;
  #answer: Promise<T> | undefined;
  #until = 0;

  constructor(clock: Clock, ask: () => Promise<T>, isGood: (answer: T) => boolean) {
    this.#clock = clock;
    this.#ask = ask;
    this.#isGood = isGood;
  }

  /** Returns the answer. One that is not good is kept only until it is there: a person may have put it right. */
  get(): Promise<T> {
    if (this.#answer === undefined || this.#clock.now() >= this.#until) {
      this.#until = this.#clock.now() + keptTime;
      const asked = this.#ask();
      this.#answer = asked;
      const forget = (): void => {
        if (this.#answer === asked) this.#answer = undefined;
      };
      asked.then((answer) => this.#isGood(answer) || forget(), forget);
    }
    return this.#answer;
  }
}

/** The time that an answer is kept, in milliseconds. */
const keptTime = 10 * 60_000;
