/** A line with an identity: equal words in two lines are still two lines. A mark is a place between lines. */
export interface ModelLine {
  words: string;
  isMark: boolean;
}

/** A text as a list of lines that are things, for tests that must know which line was kept and which was replaced. */
export class LineModel {
  #lines: ModelLine[];
  readonly #isEnded: boolean;

  constructor(words: readonly string[], isEnded: boolean) {
    this.#lines = words.map(newLine);
    this.#isEnded = isEnded;
  }

  get text(): string {
    const words = this.lines.map((line) => line.words);
    return words.join('\n') + (this.#isEnded ? '\n' : '');
  }

  /** The lines without the marks. */
  get lines(): ModelLine[] {
    return this.#lines.filter((line) => !line.isMark);
  }

  /** Keeps a place before a line. Lines that are put there later come behind it. */
  mark(line: number): ModelLine {
    const made: ModelLine = { words: '', isMark: true };
    this.#lines.splice(this.#placeOf(line), 0, made);
    return made;
  }

  /** Replaces lines. Marks that stood between two removed lines go with them. */
  replace(start: number, end: number, words: readonly string[]): void {
    if (start === end) {
      this.#lines.splice(this.#placeOf(start), 0, ...words.map(newLine));
      return;
    }
    const [first, last] = [this.lines[start], this.lines[end - 1]];
    const at = this.#lines.findIndex((line) => line === first);
    const count = this.#lines.findIndex((line) => line === last) + 1 - at;
    this.#lines.splice(at, count, ...words.map(newLine));
  }

  /** Tells whether lines are all there, side by side. */
  has(wanted: readonly ModelLine[]): boolean {
    const lines = wanted.some((line) => line.isMark) ? this.#lines : this.lines;
    const at = lines.findIndex((line) => line === wanted[0]);
    return at !== -1 && wanted.every((line, index) => lines[at + index] === line);
  }

  /** Puts lines where others are, or a mark. */
  replaceLines(wanted: readonly ModelLine[], words: readonly string[]): void {
    const at = this.#lines.findIndex((line) => line === wanted[0]);
    this.#lines.splice(at, 0, ...words.map(newLine));
    this.#lines = this.#lines.filter((line) => !wanted.includes(line));
  }

  /** Behind every mark that stands before the line. */
  #placeOf(line: number): number {
    const following = this.lines[line];
    return following === undefined ? this.#lines.length : this.#lines.findIndex((other) => other === following);
  }
}

function newLine(words: string): ModelLine {
  return { words, isMark: false };
}
