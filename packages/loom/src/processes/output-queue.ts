import type { Readable } from 'node:stream';
import type { ProcessOutput } from '@loom/kernel';

/** The number of bytes held for a reader before the process has to wait, beside those that the system holds. */
const most = 256 * 1024;

/** The output of a process that has not been read yet. */
export class OutputQueue implements AsyncIterable<ProcessOutput> {
  readonly #pieces: ProcessOutput[] = [];
  readonly #sources: Readable[] = [];
  readonly #limit: number;
  #held = 0;
  #isDiscarded = false;
  #open = 0;
  #wake: (() => void) | undefined;
  printed = 0;
  dropped = 0;

  constructor(limit = Number.POSITIVE_INFINITY) {
    this.#limit = limit;
  }

  /** True while more may come. */
  get isOpen(): boolean {
    return this.#open > 0;
  }

  get isEmpty(): boolean {
    return this.#pieces.length === 0;
  }

  add(stream: ProcessOutput['stream'], source: Readable): void {
    this.#sources.push(source);
    this.#open += 1;
    source.on('data', (bytes: Buffer) => this.#take(stream, bytes));
    // A source that can no longer be read has ended.
    source.on('error', () => {});
    source.once('close', () => {
      this.#open -= 1;
      this.#wake?.();
    });
  }

  /** Stops waiting for processes that hold the streams open. */
  cut(): void {
    for (const source of this.#sources) source.destroy();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ProcessOutput, void> {
    try {
      for (;;) {
        const piece = this.#pieces.shift();
        if (piece !== undefined) {
          this.#held -= piece.bytes.length;
          if (this.#held < most / 2) for (const source of this.#sources) source.resume();
          yield piece;
        } else if (this.isOpen) await new Promise<void>((resolve) => (this.#wake = resolve));
        else return;
      }
    } finally {
      this.#discard();
    }
  }

  #discard(): void {
    this.#isDiscarded = true;
    this.#pieces.length = 0;
    for (const source of this.#sources) source.resume();
  }

  #take(stream: ProcessOutput['stream'], bytes: Buffer): void {
    const room = Math.max(0, this.#limit - (this.printed - this.dropped));
    this.printed += bytes.length;
    this.dropped += Math.max(0, bytes.length - room);
    const kept = bytes.subarray(0, room);
    if (kept.length === 0 || this.#isDiscarded) return;
    this.#pieces.push({ stream, bytes: kept });
    this.#held += kept.length;
    if (this.#held >= most) for (const source of this.#sources) source.pause();
    this.#wake?.();
  }
}
