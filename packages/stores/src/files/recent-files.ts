/** A file that is worked with through one object at a time, so that its users take turns. */
interface WorkedFile {
  /** True if no work is under way, so that another object may take its place. */
  readonly isIdle: boolean;
}

/** The files that were used last. A caller uses its file before it waits for anything else. */
export class RecentFiles<F extends WorkedFile> {
  readonly #files = new Map<string, F>();
  readonly #most: number;

  constructor(most = mostFiles) {
    this.#most = most;
  }

  get size(): number {
    return this.#files.size;
  }

  get(key: string, make: () => F): F {
    const file = this.#files.get(key) ?? make();
    this.#files.delete(key);
    this.#files.set(key, file);
    if (this.#files.size > this.#most) this.#forgetOne(file);
    return file;
  }

  #forgetOne(used: F): void {
    for (const [key, file] of this.#files) {
      if (file === used || !file.isIdle) continue;
      this.#files.delete(key);
      return;
    }
  }
}

// The index of a log of a thousand records takes some 20 KB.
const mostFiles = 500;
