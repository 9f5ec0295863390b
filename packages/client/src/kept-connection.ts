import type { Backoff } from './backoff.ts';
import { ClientError } from './client-error.ts';
import type { Transport, TransportEvents } from './transport.ts';

/** The replica that a connection is kept for. */
export interface Follower {
  connect(send: (text: string) => void): void;
  receive(frame: unknown): void;
  disconnect(): void;
  readonly isLive: boolean;
}

interface ConnectionParts {
  backoff: Backoff;
  createTransport: (events: TransportEvents) => Transport;
  /** Called when the token no longer opens the server: nothing is tried until the owner signs in again. */
  onSignedOut?: (error: ClientError) => void;
}

/** A connection that is made again whenever it is lost, until it is closed. */
export class KeptConnection {
  readonly #parts: ConnectionParts;
  readonly #follower: Follower;
  #transport: Transport | undefined;
  #isClosed = false;
  #stopWaiting = (): void => {};

  constructor(parts: ConnectionParts, follower: Follower) {
    this.#parts = parts;
    this.#follower = follower;
    this.#connect();
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  close(): void {
    this.#isClosed = true;
    this.#stopWaiting();
    this.#transport?.close();
    this.#transport = undefined;
    this.#follower.disconnect();
  }

  #connect(): void {
    const { createTransport, backoff } = this.#parts;
    this.#transport = createTransport({
      opened: () => this.#follower.connect((text) => this.#transport?.send(text)),
      received: (frames) => {
        for (const frame of frames) this.#follower.receive(frame);
        if (this.#follower.isLive) backoff.reset();
      },
      lost: (error) => this.#lost(error),
    });
  }

  #lost(error: unknown): void {
    const { backoff, onSignedOut } = this.#parts;
    this.#transport = undefined;
    this.#follower.disconnect();
    if (this.#isClosed) return;
    if (error instanceof ClientError && error.isSignedOut) return onSignedOut?.(error);
    this.#stopWaiting = backoff.wait(() => this.#connect());
  }
}
