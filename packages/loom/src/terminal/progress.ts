/** Prints the progress of long work, every few seconds; nothing if the work is done before. */
export class Progress {
  readonly #note: (text: string) => void;
  #due = performance.now() + interval;

  constructor(note: (text: string) => void) {
    this.#note = note;
  }

  tick(describe: () => string): void {
    if (performance.now() < this.#due) return;
    this.#due = performance.now() + interval;
    this.#note(`${describe()}\n`);
  }
}

const interval = 2000;

/** An amount as people read it: 1.2 MB. */
export function describeBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const exponent = Math.min(units.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** exponent).toFixed(1)} ${units[exponent - 1]}`;
}

const units = ['kB', 'MB', 'GB', 'TB'];

/** A number with its word: 1 conversation, 2 conversations. */
export function count(number: number, word: string): string {
  return `${number.toLocaleString('en')} ${word}${number === 1 ? '' : 's'}`;
}
