import { blobsMentioned } from '@loom/kernel/store';
import type { LogRecord } from '@loom/kernel/store';

/** The blobs that records name which are appended while blobs are swept. At all other times nothing is looked at. */
export class NamedBlobs {
  readonly #ids = new Set<string>();
  #sweeps = 0;

  /** Begins to take note; returns a function that stops it. */
  begin(): () => void {
    this.#sweeps += 1;
    return () => {
      this.#sweeps -= 1;
      if (this.#sweeps === 0) this.#ids.clear();
    };
  }

  /** Takes note of an append, before it is made. */
  note(records: readonly LogRecord[]): void {
    if (this.#sweeps === 0) return;
    for (const { text } of records) for (const id of blobsMentioned(text)) this.#ids.add(id);
  }

  has(id: string): boolean {
    return this.#ids.has(id);
  }
}
