import { StoreError } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import type { IndexingThread } from '../../search/threaded-text-index.ts';

/** Collects the conversations that were written to, for the one process whose turn it is to enter them into the index. */
export class FollowedLogs {
  readonly #store: Pick<Store, 'listenAll' | 'lease' | 'release'>;
  readonly #holder: string;
  readonly #changed = new Set<string>();
  /** True if any conversation may have changed. */
  #isAny = true;
  #isKeeper = false;
  #ticks = 0;
  #stop: (() => void) | undefined;

  constructor(store: Pick<Store, 'listenAll' | 'lease' | 'release'>, holder: string) {
    this.#store = store;
    this.#holder = holder;
  }

  /** Enters what has changed since the last time, if this process keeps the index. A database that fails is asked again next time. */
  async enterNews(indexer: IndexingThread): Promise<void> {
    this.#stop ??= this.#store.listenAll((log) => this.#note(log));
    try {
      if (this.#ticks % ticksPerLease === 0) await this.#takeTurn();
      this.#ticks += 1;
      if (this.#isKeeper) await this.#enter(indexer);
      else this.#changed.clear();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
    }
  }

  async close(): Promise<void> {
    this.#stop?.();
    // The lease runs out if that fails.
    if (this.#isKeeper) await this.#store.release(leaseKey, this.#holder).catch(() => {});
  }

  async #takeTurn(): Promise<void> {
    const was = this.#isKeeper;
    this.#isKeeper = await this.#store.lease(leaseKey, this.#holder, leaseMilliseconds);
    // The logs that the former keeper has not entered are unknown.
    if (!was) this.#isAny = true;
  }

  async #enter(indexer: IndexingThread): Promise<void> {
    if (this.#isAny) {
      this.#isAny = false;
      this.#changed.clear();
      this.#isAny = !(await indexer.enterAll()) || this.#isAny;
      return;
    }
    if (this.#changed.size === 0) return;
    const roots = [...this.#changed];
    this.#changed.clear();
    if (!(await indexer.enter(roots))) this.#isAny = true;
  }

  #note(log: string | undefined): void {
    if (log === undefined || this.#changed.size >= mostChanged) this.#isAny = true;
    else if (log.startsWith('root-')) this.#changed.add(log);
  }
}

const leaseKey = 'search-index';
const leaseMilliseconds = 10_000;
/** Twice a second, so that the lease is renewed every two seconds. */
const ticksPerLease = 4;
/** More are as good as all. */
const mostChanged = 1_000;
