/** Runs one work after another, each when those before it have ended, however they ended. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve();
  #underWay = 0;

  /** True if nothing is running or queued. */
  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  run<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay += 1;
    const result = this.#last.then(work).finally(() => (this.#underWay -= 1));
    this.#last = result.catch(() => undefined);
    return result;
  }
}
