import type { BlobPort, LoomEngine, RootState } from '@loom/kernel';
import { copyForReaders, stampOf } from './shared-copy.ts';
import type { SharedCopy } from './shared-copy.ts';
import type { Share } from './shares.ts';

interface SharedCopiesOptions {
  engine: Pick<LoomEngine, 'open' | 'forest'>;
  blobs: Pick<BlobPort, 'get' | 'size'>;
}

/** The number of copies that are kept for the next reader. */
const mostKept = 8;

/** Makes the copies that readers of shares get, and keeps the last ones for as long as nothing in them changes. */
export class SharedCopies {
  readonly #options: SharedCopiesOptions;
  readonly #kept = new Map<string, { stamp: string; copy: Promise<SharedCopy | undefined> }>();

  constructor(options: SharedCopiesOptions) {
    this.#options = options;
  }

  /** Returns the copy as it is now; `undefined` if nothing of it can be seen any more. */
  async of(share: Share): Promise<SharedCopy | undefined> {
    const { blobs } = this.#options;
    const seen = await this.#look(share);
    if (seen === undefined) return undefined;
    const { stamp, state } = seen;
    const known = this.#kept.get(share.id);
    if (known?.stamp === stamp) return known.copy;
    // Its hash is known to nobody but this server, so ids derived from it say nothing about what they stand for.
    const copy = copyForReaders(state, { ...share, key: share.hash }, blobs);
    this.#kept.delete(share.id);
    this.#kept.set(share.id, { stamp, copy });
    for (const id of this.#kept.keys()) {
      if (this.#kept.size <= mostKept) break;
      this.#kept.delete(id);
    }
    copy.catch(() => this.#kept.delete(share.id));
    return copy;
  }

  /** Returns a mark that changes with what the copy shows; `undefined` if nothing of it can be seen any more. */
  async stampOf(share: Share): Promise<string | undefined> {
    return (await this.#look(share))?.stamp;
  }

  async #look({ root, leaves }: Share): Promise<{ stamp: string; state: RootState } | undefined> {
    const { engine } = this.#options;
    const opened = await engine.open(root);
    if (!opened.ok) return undefined;
    const { cursor, value: state } = await engine.forest.log(root).read((read) => read);
    const stamp = stampOf(state, leaves, cursor.epoch);
    return stamp === undefined ? undefined : { stamp, state };
  }
}
