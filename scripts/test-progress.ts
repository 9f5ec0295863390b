/** How long test files took in an earlier run, in milliseconds, by path. */
export type KnownTimes = Readonly<Record<string, number>>;

/** How far a run of test files is: what runs, what is done, and how much is left by the times of an earlier run. */
export class TestProgress {
  readonly times: Record<string, number> = {};
  readonly #files: ReadonlySet<string>;
  readonly #known: KnownTimes;
  readonly #begun = new Map<string, number>();
  readonly #workers: number;

  constructor(files: readonly string[], known: KnownTimes, workers: number) {
    this.#files = new Set(files);
    this.#known = known;
    this.#workers = workers;
  }

  begin(file: string, now: number): void {
    if (this.#files.has(file)) this.#begun.set(file, now);
  }

  end(file: string, now: number): void {
    const begun = this.#begun.get(file);
    if (begun === undefined) return;
    this.#begun.delete(file);
    this.times[file] = Math.round(now - begun);
  }

  /** One line for people. */
  describe(now: number): string {
    const done = Object.keys(this.times).length;
    const names = [...this.#begun.keys()].map((file) => file.replace(/^packages\//, ''));
    const running = names.length === 0 ? '' : `, running ${names.join(' and ')}`;
    return `${done} of ${this.#files.size} test files done${this.#describeRest(now)}${running}`;
  }

  #describeRest(now: number): string {
    const left = [...this.#files].filter((file) => !(file in this.times));
    const unknown = left.filter((file) => this.#known[file] === undefined);
    // It is unknown how long most of it takes.
    if (unknown.length * 2 > this.#files.size) return '';
    let milliseconds = 0;
    for (const file of left) {
      const begun = this.#begun.get(file);
      milliseconds += Math.max(0, (this.#known[file] ?? usualTime) - (begun === undefined ? 0 : now - begun));
    }
    const seconds = Math.round(milliseconds / this.#workers / 1000);
    return `, about ${seconds < 90 ? `${seconds} s` : `${Math.round(seconds / 60)} min`} left`;
  }
}

/** Of a file that was never run here. */
const usualTime = 2000;

/**
 * Test files in the order in which they take least time together: the longest first, those that are not known before all, and of these those in a browser,
 * so that none of them is left to run alone at the end of the first run in a checkout.
 */
export function longestFirst(files: readonly string[], known: KnownTimes): string[] {
  const weight = (file: string): number => known[file] ?? (file.includes('/e2e/') ? 2 : 1) * longerThanAny;
  return files.toSorted((one, other) => weight(other) - weight(one) || (one < other ? -1 : 1));
}

const longerThanAny = 1e9;
