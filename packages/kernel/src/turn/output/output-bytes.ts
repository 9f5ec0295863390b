import { beginningOf, endOf } from '@loom/blocks';

/** The parts of the beginning and of the end of a long output that can be read at once, in UTF-16 units. */
export const previewLength = 8 * 1024;
export const tailLength = 4 * 1024;

/** The bytes gathered before they are handed on. */
const capacity = 512 * 1024;

/** No unit of UTF-16 takes more bytes than this in UTF-8. */
const bytesOfUnit = 3;

/** Gathers text as UTF-8, and hands it on in large pieces of whole characters; what no store can hold becomes U+FFFD. */
export class OutputBytes {
  readonly #take: (bytes: Uint8Array) => void;
  #buffer: Uint8Array = new Uint8Array();
  #length = 0;
  /** Those that were handed on and given back. */
  readonly #spare: Uint8Array[] = [];
  /** The first half of a surrogate pair, until the second comes. */
  #half = '';

  /** `take` owns the bytes that it is handed, until it gives them back. */
  constructor(take: (bytes: Uint8Array) => void) {
    this.#take = take;
  }

  push(text: string): void {
    const whole = this.#half + text;
    const isCut = endsInHalfPair(whole);
    this.#half = isCut ? whole.slice(-1) : '';
    // The encoder replaces halves that stand alone, but keeps NUL.
    this.#encode((isCut ? whole.slice(0, -1) : whole).replaceAll('\0', '\uFFFD'));
  }

  /** Hands on what there is; at the end half a character, too, since its other half does not come. */
  flush(isEnd: boolean): void {
    if (isEnd) this.#encode(this.#half);
    if (isEnd) this.#half = '';
    if (this.#length === 0) return;
    const bytes = this.#buffer.subarray(0, this.#length);
    this.#buffer = new Uint8Array();
    this.#length = 0;
    this.#take(bytes);
  }

  /** Lets bytes that were handed on be written over: many large pieces would fill the memory until they are collected. */
  giveBack({ buffer }: Uint8Array): void {
    if (buffer.byteLength === capacity) this.#spare.push(new Uint8Array(buffer));
  }

  #encode(text: string): void {
    const most = text.length * bytesOfUnit;
    if (this.#length + most > this.#buffer.length) {
      this.flush(false);
      this.#buffer = most <= capacity ? (this.#spare.pop() ?? new Uint8Array(capacity)) : new Uint8Array(most);
    }
    this.#length += encoder.encodeInto(text, this.#buffer.subarray(this.#length)).written;
  }
}

/** The beginning of a text in UTF-8. */
export function headOf(bytes: Uint8Array): string {
  return beginningOf(decoder.decode(bytes.subarray(0, previewLength * bytesOfUnit)), previewLength);
}

/** Returns the end of a text in UTF-8. */
export function tailOf(bytes: Uint8Array): string {
  const end = bytes.subarray(Math.max(0, bytes.length - tailLength * bytesOfUnit));
  return endOf(
    decoder.decode(end.subarray(end.length < bytes.length ? end.findIndex(beginsCharacter) : 0)),
    tailLength,
  );
}

/** At most so many bytes, without a part of a character at the end. */
export function wholeCharacters(bytes: Uint8Array, length: number): Uint8Array {
  let end = Math.max(0, length);
  while (end > 0 && !beginsCharacter(bytes[end] ?? 0)) end -= 1;
  return bytes.subarray(0, end);
}

/** Returns true if a byte of UTF-8 is the first one of a character: the others are 10xxxxxx. */
function beginsCharacter(byte: number): boolean {
  return (byte & 0xc0) !== 0x80;
}

function endsInHalfPair(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}

const encoder = new TextEncoder();
// A byte order mark is part of the output.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
