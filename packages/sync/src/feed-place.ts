import type { Cursor } from '@loom/kernel';
import type { ChangeFrame } from './frames.ts';

/** The position of a client in a feed. Changes are applied in the order of the log, each once. */
export class FeedPlace {
  #cursor: Cursor | undefined;

  get cursor(): Cursor | undefined {
    return this.#cursor;
  }

  /** Judges a change: it is the next one, it is known already, or others are missing before it. */
  judge({ epoch, seq }: ChangeFrame): 'next' | 'known' | 'gap' {
    const cursor = this.#cursor;
    if (cursor === undefined || cursor.epoch !== epoch || seq > cursor.seq + 1) return 'gap';
    return seq === cursor.seq + 1 ? 'next' : 'known';
  }

  move({ epoch, seq }: Cursor): void {
    this.#cursor = { epoch, seq };
  }
}
