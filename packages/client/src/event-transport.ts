import { readAnswer } from './answers.ts';
import { ClientError } from './client-error.ts';
import { addressOf } from './event-address.ts';
import type { EventAddress } from './event-address.ts';
import { EventParser } from './event-parser.ts';
import type { ByteReader } from './ports.ts';
import type { Transport, TransportEvents, TransportOptions } from './transport.ts';

/**
 * The feed by server-sent events, for clients that only read. A replica's join becomes the request for the stream; its later
 * frames are posted to the stream.
 */
export class EventTransport implements Transport {
  readonly #options: TransportOptions;
  readonly #events: TransportEvents;
  #reader: ByteReader | undefined;
  #stream = '';
  #isOver = false;

  constructor(options: TransportOptions, events: TransportEvents) {
    this.#options = options;
    this.#events = events;
    queueMicrotask(() => this.#isOver || events.opened());
  }

  send(text: string): void {
    const address = addressOf(text);
    if (address === undefined) return void this.#say(text).catch((error: unknown) => this.#lose(error));
    // A second join takes the place of the first.
    void this.#reader?.cancel().catch(() => {});
    this.#reader = undefined;
    this.#stream = address.id;
    this.#follow(address).catch((error: unknown) => this.#lose(error));
  }

  async #say(text: string): Promise<void> {
    const { fetch } = this.#options;
    const stream = this.#stream;
    const { url, token } = await this.#options.place();
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const body = `{"stream":${JSON.stringify(stream)},"frame":${text}}`;
    const answer = await fetch(`${url}/api/v1/events`, { method: 'POST', headers, body });
    // A stream that another one has taken the place of need not answer.
    if (stream === this.#stream) readAnswer(answer.status, await answer.text());
  }

  close(): void {
    this.#isOver = true;
    void this.#reader?.cancel().catch(() => {});
  }

  async #follow({ id, path }: EventAddress): Promise<void> {
    const { fetch, lose } = this.#options;
    const place = await this.#options.place();
    const headers = { authorization: `Bearer ${place.token}`, accept: 'text/event-stream' };
    const asked = fetch(`${place.url}${path}`, { method: 'GET', headers });
    const answer = await asked.catch((error: unknown) => {
      lose(place);
      throw error;
    });
    if (answer.status === 401) lose(place);
    if (answer.status !== 200) {
      const refused = readAnswer(answer.status, await answer.text());
      return this.#events.received(refused.ok ? [] : [{ type: 'refused', id, refusal: refused.refusal }]);
    }
    const reader = answer.body?.getReader();
    if (reader === undefined) throw new ClientError('not-loom', 'the answer has no body', { status: answer.status });
    if (this.#isOver) return void (await reader.cancel());
    this.#reader = reader;
    await this.#read(reader);
    if (this.#reader === reader) this.#lose(undefined);
  }

  async #read(reader: ByteReader): Promise<void> {
    const decoder = new TextDecoder();
    const parser = new EventParser();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      if (this.#isOver || this.#reader !== reader) return;
      const frames = parser.push(decoder.decode(part.value, { stream: true })).map((data): unknown => JSON.parse(data));
      if (frames.length > 0) this.#events.received(frames);
    }
  }

  #lose(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.lost(error);
  }
}
