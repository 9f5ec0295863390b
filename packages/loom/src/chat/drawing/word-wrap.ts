import { displayWidth, isWide } from './display-width.ts';

/** A sentence or two in lines of at most so many columns. */
export function wrapWords(text: string, width: number): string[] {
  const wrap = new WordWrap(() => width);
  return `${wrap.take(text)}${wrap.flush()}`.split('\n');
}

/**
 * Breaks the lines of Markdown between words, as it streams in. Fences and the code in them, tables and indented code stay as they are; the
 * text of a list item or a quotation stays below its first word. A word that is too long for any line, such as a link, is not broken.
 */
export class WordWrap {
  readonly #width: () => number;
  /** The width of the line written so far, in columns. */
  #column = 0;
  /** The prefix of the line, until its first word. */
  #lead: string | undefined = '';
  /** The indent of the lines that a line is broken into. */
  #indent = '';
  #space = '';
  /** A word that may not be over. */
  #word = '';
  #isFenced = false;
  #isVerbatim = false;

  constructor(width: () => number) {
    this.#width = width;
  }

  /** Takes some more text; returns as much as can be shown by now. */
  take(text: string): string {
    let shown = '';
    for (const character of text) shown += this.#step(character);
    return shown;
  }

  /** Returns the text held back because more of the word might have come. */
  flush(): string {
    return this.#placeWord();
  }

  /** Notes that something was written past this. */
  note(text: string): void {
    const line = text.slice(text.lastIndexOf('\n') + 1);
    this.#column = line === text ? this.#column + displayWidth(line) : displayWidth(line);
    if (line !== text) this.#isFenced = false;
    this.#beginLine(line === '' ? '' : undefined);
  }

  #step(character: string): string {
    if (character === '\n') {
      const rest = this.#placeWord();
      this.#column = 0;
      this.#beginLine('');
      return `${rest}\n`;
    }
    if (character === ' ' || character === '\t') return this.#addSpace(character);
    if (!isWide(character) || this.#isVerbatim) {
      this.#word += character;
      return '';
    }
    const before = this.#placeWord();
    this.#word = character;
    return before + this.#placeWord();
  }

  #addSpace(space: string): string {
    const shown = this.#placeWord();
    if (this.#lead !== undefined) this.#lead += space;
    else if (!this.#isVerbatim) this.#space += space;
    if (!this.#isVerbatim && this.#lead === undefined) return shown;
    this.#column += displayWidth(space);
    return shown + space;
  }

  #placeWord(): string {
    const word = this.#word;
    if (word === '') return '';
    this.#word = '';
    const isFirst = this.#lead !== undefined;
    if (isFirst) this.#readFirstWord(this.#lead ?? '', word);
    const space = this.#space;
    this.#space = '';
    const width = displayWidth(word);
    const isBroken = !isFirst && !this.#isVerbatim && this.#column + space.length + width > this.#width();
    if (isBroken && this.#column > this.#indent.length) {
      this.#column = this.#indent.length + width;
      return `\n${this.#indent}${word}`;
    }
    this.#column += space.length + width;
    return space + word;
  }

  #readFirstWord(lead: string, word: string): void {
    this.#lead = undefined;
    if (/^(?:```|~~~)/.test(word)) {
      this.#isFenced = !this.#isFenced;
      this.#isVerbatim = true;
      return;
    }
    const isItem = /^(?:[-*+]|\d{1,3}[.)])$/.test(word);
    this.#isVerbatim ||= word.startsWith('|') || (/^(?: {4}|\t)/.test(lead) && !isItem);
    this.#indent = word === '>' ? `${lead}> ` : isItem ? lead + ' '.repeat(word.length + 1) : lead;
  }

  #beginLine(lead: string | undefined): void {
    this.#lead = lead;
    this.#indent = '';
    this.#space = '';
    this.#isVerbatim = this.#isFenced;
  }
}
