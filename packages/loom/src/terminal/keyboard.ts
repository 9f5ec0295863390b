import { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import type { ReadStream } from 'node:tty';

/** The source of keys: the terminal itself, or a stream that plays one. */
export type KeySource = NodeJS.ReadableStream &
  Partial<Pick<ReadStream, 'isTTY'>> & { setRawMode?: (isRaw: boolean) => unknown };

/** The sequences that ask a terminal to mark pasted text, and to stop that. Terminals that do not know them show nothing. */
export const pasteMarking = { on: '\u001B[?2004h', off: '\u001B[?2004l' };

const marks = { start: '\u001B[200~', end: '\u001B[201~' };

/** A mark may come in two pieces, and its first may be a key, such as Esc. */
const usualPatience = 50;

/**
 * A keyboard from which pasted texts are taken out whole: `onPaste` gets them, between the keys before and after them, and
 * the reader of this stream gets keys alone.
 */
export class Keyboard extends Readable {
  readonly isTTY = true;
  readonly #source: KeySource;
  readonly #onPaste: (text: string) => void;
  readonly #decoder = new StringDecoder('utf8');
  readonly #onData = (chunk: Uint8Array | string): void =>
    this.#take(typeof chunk === 'string' ? chunk : this.#decoder.write(Buffer.from(chunk)));
  readonly #onEnd = (): void => void this.push(null);
  /** The beginning of a mark, perhaps. */
  #held = '';
  #pasted: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #patience: number;

  /** `patience` is the pause, in milliseconds, after which the beginning of a mark counts as a key. */
  constructor(source: KeySource, onPaste: (text: string) => void, patience = usualPatience) {
    super({ read: () => undefined });
    this.#patience = patience;
    this.#source = source;
    this.#onPaste = onPaste;
    // A terminal that is closed fails, also when it is to be given back.
    source.on('data', this.#onData).on('end', this.#onEnd).on('error', this.#onEnd);
  }

  setRawMode(isRaw: boolean): this {
    this.#source.setRawMode?.(isRaw);
    return this;
  }

  /** Takes nothing more from its source. */
  release(): void {
    clearTimeout(this.#timer);
    this.#source.off('data', this.#onData).off('end', this.#onEnd).pause();
  }

  #take(chunk: string): void {
    clearTimeout(this.#timer);
    let text = this.#held + chunk;
    this.#held = '';
    while (text !== '') {
      const mark = this.#pasted === undefined ? marks.start : marks.end;
      const at = text.indexOf(mark);
      const end = at === -1 ? text.length - beginningOf(mark, text) : at;
      this.#pass(text.slice(0, end));
      if (at === -1) {
        this.#held = text.slice(end);
        break;
      }
      text = text.slice(at + mark.length);
      const pasted = this.#pasted;
      this.#pasted = pasted === undefined ? '' : undefined;
      if (pasted !== undefined) this.#onPaste(pasted);
    }
    if (this.#held !== '') this.#timer = setTimeout(() => this.#passHeld(), this.#patience);
  }

  #pass(text: string): void {
    if (this.#pasted !== undefined) this.#pasted += text;
    // Not through the buffer, which would let a paste overtake the keys before it.
    else if (text !== '') this.emit('data', text);
  }

  #passHeld(): void {
    const held = this.#held;
    this.#held = '';
    this.#pass(held);
  }
}

/** Returns the number of characters of a mark that a text ends with, short of the whole mark. */
function beginningOf(mark: string, text: string): number {
  for (let length = mark.length - 1; length > 0; length -= 1) if (text.endsWith(mark.slice(0, length))) return length;
  return 0;
}
