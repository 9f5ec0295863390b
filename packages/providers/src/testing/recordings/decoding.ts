import { createParser } from 'eventsource-parser';
import { ArgumentLines } from '../../google/exact-calls.ts';
import type { WireName } from './recording.ts';

/**
 * The steps of reading an answer that depend on how its bytes are cut, without the streams around them: the lines that Gemini's provider gathers, the
 * decoder of UTF-8, and the parser of events that the SDKs use. The steps after it get one event at a time.
 */
class EventDecoder {
  /** The data of the events that are complete. */
  readonly events: string[] = [];
  readonly #text = new TextDecoder();
  readonly #lines: ArgumentLines | undefined;
  readonly #parser = createParser({ onEvent: ({ data }) => this.events.push(data) });

  constructor(wire: WireName) {
    this.#lines = wire === 'google' ? new ArgumentLines() : undefined;
  }

  take(bytes: Uint8Array): void {
    if (this.#lines === undefined) this.#parser.feed(this.#text.decode(bytes, { stream: true }));
    else this.#parser.feed(this.#lines.take(bytes));
  }

  end(): void {
    if (this.#lines !== undefined) this.#parser.feed(this.#lines.end());
  }
}

/** The data of the events of a stream, given the chunks of bytes in which it arrives. */
export function decodeEvents(wire: WireName, chunks: Iterable<Uint8Array>): string[] {
  const decoder = new EventDecoder(wire);
  for (const chunk of chunks) decoder.take(chunk);
  decoder.end();
  return decoder.events;
}
