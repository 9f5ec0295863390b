import type { OpenSocket, Socket } from './ports.ts';
import type { Transport, TransportEvents, TransportOptions } from './transport.ts';

/** The feed by WebSocket, which gets in with a ticket. A message holds the frames of one tick. */
export class SocketTransport implements Transport {
  readonly #events: TransportEvents;
  #socket: Socket | undefined;
  #isOver = false;

  constructor(options: TransportOptions & { openSocket: OpenSocket }, events: TransportEvents) {
    this.#events = events;
    this.#open(options).catch((error: unknown) => this.#lose(error));
  }

  send(text: string): void {
    this.#socket?.send(text);
  }

  close(): void {
    this.#isOver = true;
    this.#socket?.close();
  }

  async #open({ place, ticket, openSocket }: TransportOptions & { openSocket: OpenSocket }): Promise<void> {
    const secret = await ticket();
    const { url } = await place();
    if (this.#isOver) return;
    const socket = openSocket(`${url.replace(/^http/u, 'ws')}/api/v1/feed?ticket=${secret}`);
    this.#socket = socket;
    socket.addEventListener('open', () => this.#isOver || this.#events.opened());
    socket.addEventListener('message', ({ data }) => this.#hear(data));
    socket.addEventListener('close', () => this.#lose(undefined));
    // Its end follows.
    socket.addEventListener('error', () => {});
  }

  #hear(data: unknown): void {
    if (this.#isOver) return;
    try {
      const frames: unknown = JSON.parse(typeof data === 'string' ? data : '');
      this.#events.received(Array.isArray(frames) ? frames : []);
    } catch (error) {
      this.#socket?.close();
      this.#lose(error);
    }
  }

  #lose(error: unknown): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.lost(error);
  }
}
