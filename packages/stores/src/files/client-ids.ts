import { counterJump } from '../raised-counters.ts';
import type { SealedFile } from './sealed-file.ts';
import { Turns } from '../turns.ts';

/**
 * Numbers that are given once. A block of them is marked as given in the file before the first of it is handed out. Without the file
 * the logs say which are in use.
 */
export class ClientIds {
  readonly #file: SealedFile;
  readonly #turns = new Turns();
  #known: { last: number; reserved: number } | undefined;

  readonly #highestInUse: () => Promise<number>;

  /** `highestInUse`: the highest number that a log names, 1 if there is none. */
  constructor(file: SealedFile, highestInUse: () => Promise<number>) {
    this.#file = file;
    this.#highestInUse = highestInUse;
  }

  next(above: number): Promise<number> {
    return this.#turns.run(async () => {
      this.#known ??= await this.#load();
      const next = Math.max(this.#known.last, above) + 1;
      if (next > this.#known.reserved) {
        const reserved = next - 1 + block;
        await this.#file.write({ reserved });
        this.#known.reserved = reserved;
      }
      this.#known.last = next;
      return next;
    });
  }

  async #load(): Promise<{ last: number; reserved: number }> {
    const fields = await this.#file.read();
    const reserved = typeof fields === 'object' ? fields['reserved'] : undefined;
    // The rest of an earlier process's block of ids is skipped.
    if (typeof reserved === 'number' && Number.isSafeInteger(reserved)) return { last: reserved, reserved };
    const highest = await this.#highestInUse();
    // Numbers may have been given that no log names yet.
    const last = fields === undefined && highest === 1 ? 1 : highest + counterJump;
    return { last, reserved: last };
  }
}

const block = 100;
