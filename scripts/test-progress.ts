/** The durations of test files in an earlier run, in milliseconds, by path. */
export type KnownTimes = Readonly<Record<string, number>>;

/** The progress of a run of test files: what runs, what is done, and how much is left by the times of an earlier run. */
export class TestProgress {
  readonly times: Record<string, number> = {};
  readonly #files: ReadonlySet<string>;
  readonly #known: KnownTimes;
  readonly #begun = new Map<string, number>();
  readonly #shared = new Map<readonly string[], Record<string, number>>();
  readonly #lastTests = new Map<readonly string[], string>();
  readonly #workers: number;

  constructor(files: readonly string[], known: KnownTimes, workers: number) {
    this.#files = new Set(files);
    this.#known = known;
    this.#workers = workers;
  }

  begin(file: string, now: number): void {
    if (this.#files.has(file)) this.#begun.set(file, now);
  }

  /** Notes that one of the files that share a process has begun a test, and so the one before it is done. */
  goOn(company: readonly string[], file: string, now: number, test: string): void {
    this.#lastTests.set(company, `${test} (${file})`);
    if (this.#begun.has(file)) return;
    for (const other of company) if (this.#begun.delete(other)) this.times[other] ??= 0;
    this.begin(file, now);
  }

  /** Notes that one of the files that share a process has ended a test. Reports of the process may come late, so the test has its own time. */
  add(company: readonly string[], file: string, milliseconds: number): void {
    const times = this.#shared.get(company) ?? {};
    times[file] = Math.round((times[file] ?? 0) + milliseconds);
    this.#shared.set(company, times);
  }

  /** Returns the test of a process that began last, as far as the process reported, with its file. */
  lastOf(company: readonly string[]): string | undefined {
    return this.#lastTests.get(company);
  }

  /** A process has ended. */
  end(files: readonly string[], now: number): void {
    for (const file of files) {
      const begun = this.#begun.get(file);
      this.#begun.delete(file);
      this.times[file] = this.#shared.get(files)?.[file] ?? (begun === undefined ? 0 : Math.round(now - begun));
    }
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
    // Most of the remaining time is unknown.
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

/** The time of a file that was never run here, in milliseconds. */
const usualTime = 2000;
