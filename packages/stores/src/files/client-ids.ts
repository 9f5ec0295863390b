import type { SealedFile } from './sealed-file.ts';
import { Turns } from './turns.ts';

/** Numbers that are given once. A block of them is marked as given in the file before the first of it is handed out. */
export class ClientIds {
  readonly #file: SealedFile;
  readonly #turns = new Turns();
  #known: { last: number; reserved: number } | undefined;

  constructor(file: SealedFile) {
    this.#file = file;
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
    const { reserved } = (await this.#file.read()) ?? { reserved: 1 };
    if (typeof reserved !== 'number' || !Number.isSafeInteger(reserved)) throw this.#file.damage();
    // What is left of the block of an earlier process is skipped.
    return { last: reserved, reserved };
  }
}

const block = 100;
