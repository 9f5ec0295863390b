import type { Cursor } from '@loom/kernel';
import { EncodedFrame } from './encoded-frame.ts';

/** The way to one client. */
export interface Connection {
  /**
   * Takes a frame, and the place in the log that a client has reached with it, if it brings it further. False: that is enough
   * for now; `drained` of the member is called when there is room.
   */
  send(frame: EncodedFrame, reached?: Cursor): boolean;
  /** Ends the connection, with a word on why. */
  close(reason: string): void;
}

/** A frame, and the place in the log that a client has reached with it. */
export interface SentFrame {
  frame: EncodedFrame;
  reached?: Cursor | undefined;
}

/**
 * The frames that wait for a client to read them. They are bounded: a client that reads too slowly loses the waiting frames
 * and is told to join again, which costs no other client anything.
 */
export class WaitingFrames {
  readonly #connection: Connection;
  readonly #limit: number;
  /** The frames that wait, each with its counted size. */
  #waiting: { sent: SentFrame; size: number }[] = [];
  #size = 0;
  #isFull = false;
  #isDropping = false;
  #waiters: (() => void)[] = [];

  constructor(connection: Connection, limit: number) {
    this.#connection = connection;
    this.#limit = limit;
  }

  /** The amount that waits. The answer to a join is not counted. */
  get size(): number {
    return this.#size;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Sends a frame as soon as the client takes it. False if it was dropped, with everything else. */
  push(sent: SentFrame): boolean {
    if (this.#isDropping) return false;
    const { size } = sent.frame;
    if (this.#isFull && this.#size + size > this.#limit) {
      this.resync();
      return false;
    }
    this.#send(sent, size);
    return true;
  }

  /** Drops all waiting frames and tells the client to join again. Nothing is sent until it does. */
  resync(): void {
    if (this.#isDropping) return;
    this.#drop();
    this.#isDropping = true;
    this.#send({ frame: resync }, 0);
  }

  /** Begins for a client: these frames take the place of all that waited, and are not counted. */
  begin(frames: readonly SentFrame[]): void {
    this.#drop();
    this.#isDropping = false;
    for (const sent of frames) this.#send(sent, 0);
  }

  /** Resolves once the client has room for more frames. */
  async hasRoom(): Promise<void> {
    while (this.#isFull) await new Promise<void>((resolve) => void this.#waiters.push(resolve));
  }

  /** The client can take more. */
  drained(): void {
    this.#isFull = false;
    let count = 0;
    for (const { sent, size } of this.#waiting) {
      if (this.#isFull) break;
      count += 1;
      this.#size -= size;
      this.#isFull = !this.#connection.send(sent.frame, sent.reached);
    }
    this.#waiting.splice(0, count);
    for (const wake of this.#waiters.splice(0)) wake();
  }

  #send(sent: SentFrame, size: number): void {
    if (this.#isFull) {
      this.#waiting.push({ sent, size });
      this.#size += size;
    } else {
      this.#isFull = !this.#connection.send(sent.frame, sent.reached);
    }
  }

  #drop(): void {
    this.#waiting = [];
    this.#size = 0;
  }
}

const resync = new EncodedFrame({ type: 'resync' });
