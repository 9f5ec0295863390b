import type { Style, Tone } from '../../terminal/style.ts';
import { WordWrap } from './word-wrap.ts';

/** One line of a card, with how it is set off. */
export interface Line {
  text: string;
  tone?: Tone;
}

/** Running text on one stream: knows where it stands, so that paragraphs stay apart, and keeps a screen's controls safe. */
export class Column {
  readonly #write: (text: string) => void;
  readonly #style: Style;
  readonly #isScreen: boolean;
  readonly #wrap: WordWrap;
  #flowTone: Tone | undefined;
  // As if a paragraph had just ended: nothing is written above the first one.
  #ending = '\n\n';

  /** `width` is that of the screen. */
  constructor(write: (text: string) => void, style: Style, isScreen: boolean, width: () => number = () => 80) {
    this.#write = write;
    this.#style = style;
    this.#isScreen = isScreen;
    this.#wrap = new WordWrap(width);
  }

  /** Adds text where the last one ended. */
  add(text: string, tone?: Tone): void {
    this.#finishFlow();
    const clean = this.#clean(text);
    this.#wrap.note(clean);
    this.#put(clean, tone);
  }

  /** Adds a piece of running text, whose lines are broken between words on a screen. */
  flow(text: string, tone?: Tone): void {
    if (!this.#isScreen) return this.add(text, tone);
    if (this.#flowTone !== tone) this.#finishFlow();
    this.#flowTone = tone;
    this.#put(this.#wrap.take(this.#clean(text)), tone);
  }

  #clean(text: string): string {
    return this.#isScreen ? showControls(text) : text;
  }

  #finishFlow(): void {
    this.#put(this.#wrap.flush(), this.#flowTone);
  }

  #put(text: string, tone: Tone | undefined): void {
    if (text === '') return;
    this.#write(tone === undefined ? text : this.#style[tone](text));
    this.#ending = (this.#ending + text).slice(-2);
  }

  addLines(lines: readonly Line[]): void {
    this.startLine();
    for (const { text, tone } of lines) {
      this.add(text, tone);
      this.add('\n');
    }
  }

  /** Adds lines that Loom has put together itself, with foreign text in them already made safe. */
  addTrusted(lines: readonly string[]): void {
    this.startLine();
    for (const line of lines) this.#write(`${line}\n`);
    this.#wrap.note('\n');
    this.#ending = 'x\n';
  }

  /** Notes that a person typed a line: the text that follows is not at the beginning of a paragraph. */
  noteTypedLine(): void {
    this.#finishFlow();
    this.#wrap.note('\n');
    this.#ending = 'x\n';
  }

  startLine(): void {
    this.#finishFlow();
    if (!this.#ending.endsWith('\n')) this.add('\n');
  }

  startParagraph(): void {
    this.startLine();
    if (this.#ending !== '\n\n') this.add('\n');
  }
}

/** Keeps foreign text from steering the screen: control characters become pictures of them, carriage returns and reversals of direction vanish. */
export function showControls(text: string): string {
  return text
    .replaceAll('\r', '')
    .replaceAll(/(?![\n\t])\p{Cc}/gu, pictureOf)
    .replaceAll(/[\u202A-\u202E\u2066-\u2069]/g, '');
}

/** Unicode has a picture for each of the first 32; one stands for all others. */
function pictureOf(control: string): string {
  const code = control.charCodeAt(0);
  return String.fromCharCode(code < 32 ? 0x2400 + code : 0x2421);
}
