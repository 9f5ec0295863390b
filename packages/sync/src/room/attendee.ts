import { FrameError } from '../frame-error.ts';
import { WaitingFrames } from './waiting-frames.ts';
import type { Connection } from './waiting-frames.ts';

export interface AttendeeOptions {
  connection: Connection;
  /** The most that may wait for a client that does not read, in UTF-16 units of JSON. */
  limit: number;
  onLeave: () => void;
  /** Gets what went wrong when a client had to be disconnected. */
  onFailure?: (error: unknown) => void;
}

/** One connection in a room of any kind: its frames, the frames that wait for it, and its end. */
export abstract class Attendee {
  protected readonly frames: WaitingFrames;
  readonly #options: AttendeeOptions;
  #work: Promise<void> = Promise.resolve();
  #hasLeft = false;

  constructor(options: AttendeeOptions) {
    this.#options = options;
    this.frames = new WaitingFrames(options.connection, options.limit);
  }

  /** Takes in a frame of the client, as JSON was read. A `FrameError` says that it is none. */
  protected abstract take(value: unknown): Promise<void>;

  /** Called when it has left: nothing is sent to it from then on. */
  protected abstract stop(): void;

  protected get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /**
   * Takes in a frame of the client, one after the other. Resolves when it is done with it, so that the reader of the
   * socket can wait; never rejects. A client that sends invalid frames is disconnected.
   */
  receive(value: unknown): Promise<void> {
    this.#work = this.#receive(this.#work, value);
    return this.#work;
  }

  /** The connection can take more. */
  drained(): void {
    this.frames.drained();
  }

  /** The connection is gone. */
  leave(): void {
    if (this.#hasLeft) return;
    this.#hasLeft = true;
    this.stop();
    this.#options.onLeave();
  }

  dismiss(reason: string): void {
    if (this.#hasLeft) return;
    this.leave();
    this.#options.connection.close(reason);
  }

  /** Disconnects the client if something fails. */
  protected async guard(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch (error) {
      // The write may or may not have happened. The client connects again, repeats itself and finds out.
      this.#options.onFailure?.(error);
      const failed = 'the server failed; connect again, and repeat what was not answered';
      this.dismiss(error instanceof FrameError ? error.message : failed);
    }
  }

  async #receive(before: Promise<void>, value: unknown): Promise<void> {
    await before;
    if (!this.#hasLeft) await this.guard(this.take(value));
  }
}
