import { globSync, readFileSync } from 'node:fs';

/**
 * Text that looks to an index like that of people and models. Its lines are those of this repository's own pages and sources in another
 * order, with other numbers and here and there another word; some blocks are in scripts with many characters. Made-up words would not do:
 * the power of trigrams depends on how a language uses its letters. The same seed gives the same text.
 */
export class SampleText {
  readonly #random: () => number;

  constructor(seed: number) {
    this.#random = randomNumbers(seed);
  }

  block(length: number): string {
    const isWide = this.#random() < 0.03;
    let text = '';
    let line = this.#below(lines.length);
    while (text.length < length) {
      // A few lines that belong together, then others.
      line = this.#random() < 0.2 ? this.#below(lines.length) : (line + 1) % lines.length;
      text += isWide ? this.#wideLine() : this.#vary(lines[line] ?? '');
    }
    const cut = text.slice(0, length);
    return cut.isWellFormed() ? cut : cut.slice(0, -1);
  }

  #vary(line: string): string {
    const varied = line.replaceAll(/\d+/g, (digits) => this.#number(digits.length));
    return `${varied.replaceAll(/\b[a-z]{4,}\b/g, (word) => (this.#random() < 0.1 ? this.#word() : word))}\n`;
  }

  /** Returns a number, of four digits only now and then, so that a search for them can list what it finds. */
  #number(digits: number): string {
    return String(this.#below(10 ** Math.min(digits, this.#random() < 0.05 ? 4 : 3)));
  }

  #word(): string {
    return words[Math.floor(this.#random() ** 3 * words.length)] ?? '';
  }

  #wideLine(): string {
    const base = [0x4e00, 0x430, 0x3b1][this.#below(3)] ?? 0;
    const range = base === 0x4e00 ? 3_000 : 25;
    const character = () =>
      this.#random() < 0.12 ? ' ' : String.fromCharCode(base + Math.floor(this.#random() ** 2 * range));
    return `${Array.from({ length: 60 }, character).join('')}\n`;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

/** Mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const repository = new URL('..', import.meta.url);
const paths = globSync(['*.md', 'docs/**/*.md', 'packages/*/src/**/*.ts'], { cwd: repository }).sort();
const lines: readonly string[] = paths.flatMap((path) =>
  readFileSync(new URL(path, repository), 'utf8').split(/\r?\n/),
);

/** Words of the text, the most frequent first. */
const words: readonly string[] = rankWords();

function rankWords(): string[] {
  const counts = new Map<string, number>();
  for (const line of lines) {
    for (const [word] of line.matchAll(/\b[a-z]{4,}\b/g)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([word]) => word);
}
