import { LoomError } from '../command-line/failure.ts';

/** Turns bytes into text piece by piece. Bytes that are not UTF-8 are refused: decoding them would silently change them. */
export class Utf8Decoder {
  readonly #decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  readonly #source: string;

  /** `source` names where the bytes come from, for the refusal. */
  constructor(source: string) {
    this.#source = source;
  }

  write(chunk: Uint8Array | string): string {
    return typeof chunk === 'string' ? chunk : this.#decode(() => this.#decoder.decode(chunk, { stream: true }));
  }

  /** Refuses a character that was cut off. */
  end(): string {
    return this.#decode(() => this.#decoder.decode());
  }

  #decode(decode: () => string): string {
    try {
      return decode();
    } catch (cause) {
      throw new LoomError('not-utf8', `${this.#source} is not valid UTF-8`, {
        advice: 'Convert it first, for example with: iconv -f latin1 -t utf-8',
        cause,
      });
    }
  }
}

/** The text of bytes that are all there. */
export function decodeUtf8(bytes: Uint8Array, source: string): string {
  const decoder = new Utf8Decoder(source);
  return decoder.write(bytes) + decoder.end();
}
