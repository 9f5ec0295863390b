import { once } from 'node:events';
import { encodeFrame, protocol, Replica } from '@loom/sync';
import type { ServerFrame } from '@loom/sync';
import type { WebSocket } from 'ws';
import { framesOf } from './frames.ts';

/** A replica behind a WebSocket, and everything that it was sent. */
export class SocketClient {
  readonly socket: WebSocket;
  readonly replica: Replica;
  /** The frames of each message. */
  readonly messages: ServerFrame[][] = [];
  #next = 0;
  #wake: () => void = () => {};

  constructor(socket: WebSocket, root: string) {
    this.socket = socket;
    this.replica = new Replica({
      root,
      clock: { now: () => 0 },
      ids: { next: () => `request-${(this.#next += 1)}` },
      onLost: () => {},
    });
    socket.on('message', (data) => {
      const frames = framesOf(data);
      this.messages.push(frames);
      for (const frame of frames) this.replica.receive(frame);
      this.#wake();
    });
    socket.on('close', () => this.#wake());
    this.replica.connect((text) => socket.send(text));
  }

  get frames(): ServerFrame[] {
    return this.messages.flat();
  }

  /** Resolves once something is so; looks again whenever a message has come. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  async ready(): Promise<this> {
    await this.until(() => this.replica.status === 'live' || this.replica.status === 'refused');
    return this;
  }

  /** The texts of the conversation here, node by node. */
  get texts(): (string | undefined)[] {
    return [...this.replica.nodes.values()].flatMap(({ blocks }) =>
      blocks.map((block) => this.replica.text(block.block_id ?? '')),
    );
  }
}

/** Returns the close code and reason that the server sent on a socket. */
export async function closing(socket: WebSocket): Promise<{ code: unknown; reason: string }> {
  const closed: unknown[] = await once(socket, 'close');
  const [code, reason] = closed;
  return { code, reason: reason instanceof Uint8Array ? new TextDecoder().decode(reason) : '' };
}

/** The text of a frame that joins a conversation. */
export function joinFrame(root: string, id = 'join'): string {
  return encodeFrame({ type: 'join', id, protocol, root, scope: 'whole' });
}
