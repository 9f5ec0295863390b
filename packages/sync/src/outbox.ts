import type { Cursor } from '@loom/kernel';
import { encodeFrame } from './frames.ts';

/** The way to one client. */
export interface Connection {
  /**
   * Takes the text of a frame, and the place in the log that a client has reached with it, if it brings it further. False: that is
   * enough for now; `drained` of the member is called when there is room.
   */
  send(text: string, reached?: Cursor): boolean;
  /** Ends the connection, with a word on why. */
  close(reason: string): void;
}

/**
 * What waits for a client to read it. It is bounded: a client that reads too slowly loses what waited and is told
 * to join again, which costs no other client anything.
 */
export class Outbox {
  readonly #connection: Connection;
  readonly #limit: number;
  #waiting: { text: string; reached: Cursor | undefined }[] = [];
  #size = 0;
  #isFull = false;
  #isDropping = false;

  constructor(connection: Connection, limit: number) {
    this.#connection = connection;
    this.#limit = limit;
  }

  /** Sends a frame as soon as the client takes it. False if it was dropped, with everything else. */
  push(text: string, reached?: Cursor): boolean {
    if (this.#isDropping) return false;
    if (this.#isFull && this.#size + text.length > this.#limit) {
      this.resync();
      return false;
    }
    this.#send(text, reached);
    return true;
  }

  /** Drops whatever waits and tells the client to join again. Nothing is sent until it does. */
  resync(): void {
    if (this.#isDropping) return;
    this.#clear();
    this.#isDropping = true;
    this.#send(encodeFrame({ type: 'resync' }));
  }

  /** A client begins: what is sent now takes the place of all that waited, and is not counted. */
  begin(text: string, reached?: Cursor): void {
    this.#clear();
    this.#isDropping = false;
    this.#send(text, reached);
    this.#size = 0;
  }

  /** The client can take more. */
  drained(): void {
    this.#isFull = false;
    const waiting = this.#waiting;
    this.#clear();
    for (const { text, reached } of waiting) this.#send(text, reached);
  }

  #send(text: string, reached?: Cursor): void {
    if (this.#isFull) {
      this.#waiting.push({ text, reached });
      this.#size += text.length;
    } else {
      this.#isFull = !this.#connection.send(text, reached);
    }
  }

  #clear(): void {
    this.#waiting = [];
    this.#size = 0;
  }
}
