import { endOf } from '@loom/blocks';
import type { BlobReference } from '@loom/blocks';
import type { Spool } from '../../blob-port.ts';
import type { Clock } from '../../ports.ts';
import { OutputBytes, headOf, tailLength, tailOf, wholeCharacters } from './output-bytes.ts';

/** Outputs of more bytes than this leave the log. */
export const largestInline = 64 * 1024;

/** The least time between two notes of a growing output in the log, in milliseconds. */
const reportInterval = 500;

/** The longest that output waits to be written to the spool, in milliseconds. */
const longestHold = 100;

/** The bytes that may be on their way to the spool before the writer has to wait. */
const mostUnderWay = 1024 * 1024;

/** The room left for output, in bytes; several outputs may share it. */
export interface OutputRoom {
  left: number;
}

/** The progress of an output. Only the first report has a preview. */
export interface OutputReport {
  bytes: number;
  tail: string;
  preview?: string;
}

/** The ports and limits that a long output is given. */
export interface LongOutputParts {
  clock: Clock;
  room: OutputRoom;
  openSpool: () => Promise<Spool>;
  /** Called when the bytes that are reported would survive a power cut. */
  report: (report: OutputReport) => void;
  failed: (error: unknown) => void;
}

/**
 * An output that outgrew the log. Its bytes go to a spool, which becomes a blob at the end; the log gets its beginning, its
 * end and its length. Output beyond the room is counted and dropped.
 */
export class LongOutputWriter {
  readonly #parts: LongOutputParts;
  readonly #spool: Promise<Spool>;
  /** The spool's work, in order. */
  #work: Promise<unknown>;
  readonly #held: OutputBytes;
  #underWay = 0;
  #bytes = 0;
  #printed = 0;
  #preview: string | undefined;
  #tail = '';
  #reportedBytes = -1;
  #reportedAt = -Infinity;
  #cancelHold: (() => void) | undefined;
  #cancelReport: (() => void) | undefined;
  #sealing: Promise<BlobReference> | undefined;

  constructor(parts: LongOutputParts, beginning: string) {
    this.#parts = parts;
    this.#spool = parts.openSpool();
    this.#work = this.#spool;
    this.#held = new OutputBytes((bytes) => this.#keep(bytes));
    this.#held.push(beginning);
    this.#report();
  }

  /** Takes more of the output; resolves when there is room for more. Output after `seal` is dropped. */
  async push(text: string): Promise<void> {
    if (this.#sealing !== undefined) return;
    this.#held.push(text);
    this.#cancelHold ??= this.#parts.clock.after(longestHold, () => this.#write());
    this.#planReport();
    await this.keepUp();
  }

  /** Waits where more comes than the store can take. */
  async keepUp(): Promise<void> {
    if (this.#underWay > mostUnderWay) await this.#work;
  }

  /** Ends the output: it is a blob, durably, when this resolves. Idempotent. */
  seal(): Promise<BlobReference> {
    this.#sealing ??= this.#seal();
    return this.#sealing;
  }

  /** Forgets the spool, once the change that cites the blob is durable. */
  async drop(): Promise<void> {
    await (await this.#spool).drop();
  }

  async #seal(): Promise<BlobReference> {
    this.#write(true);
    this.#cancelReport?.();
    await this.#work;
    const { id, bytes } = await (await this.#spool).finish();
    const printed = this.#printed > bytes ? { printed: this.#printed } : {};
    return { blob: id, bytes, preview: this.#preview ?? '', tail: this.#tail, ...printed };
  }

  /** Hands the held bytes to the spool. */
  #write(isEnd = false): void {
    this.#cancelHold?.();
    this.#cancelHold = undefined;
    this.#held.flush(isEnd);
  }

  /** Keeps as many bytes as there is room for; counts and remembers them. */
  #keep(bytes: Uint8Array): void {
    // Behind a gap nothing may follow.
    const room = this.#printed > this.#bytes ? 0 : this.#parts.room.left;
    this.#printed += bytes.length;
    const kept = bytes.length <= room ? bytes : wholeCharacters(bytes, room);
    if (kept.length === 0) return;
    this.#parts.room.left -= kept.length;
    this.#bytes += kept.length;
    this.#preview ??= headOf(kept);
    this.#tail = endOf(this.#tail + tailOf(kept), tailLength);
    this.#underWay += kept.length;
    this.#do(async (spool) => {
      await spool.append(kept);
      this.#held.giveBack(kept);
      this.#underWay -= kept.length;
    });
  }

  #planReport(): void {
    const { clock } = this.#parts;
    this.#cancelReport ??= clock.after(Math.max(0, this.#reportedAt + reportInterval - clock.now()), () =>
      this.#report(),
    );
  }

  #report(): void {
    this.#cancelReport = undefined;
    this.#write();
    const isFirst = this.#reportedBytes < 0;
    const [bytes, tail, preview] = [this.#bytes, this.#tail, this.#preview ?? ''];
    this.#reportedAt = this.#parts.clock.now();
    if (bytes === this.#reportedBytes) return;
    this.#reportedBytes = bytes;
    this.#do(async (spool) => {
      await spool.sync();
      if (this.#sealing === undefined) this.#parts.report({ bytes, tail, ...(isFirst ? { preview } : {}) });
    });
  }

  #do(work: (spool: Spool) => Promise<void>): void {
    const spool = this.#spool;
    const done = this.#work.then(async () => work(await spool));
    this.#work = done;
    done.catch(this.#parts.failed);
  }
}
