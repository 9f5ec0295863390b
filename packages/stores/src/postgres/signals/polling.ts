import { keyOf, textOfKey } from '../bounded-key.ts';
import type { Database } from '../database.ts';

export interface PollingOptions {
  database: Database;
  /** The logs that are listened to; `undefined` if nothing is listened to at all. */
  listened: () => readonly string[] | undefined;
  /** True while notifications are heard. */
  isListening: () => boolean;
  /** Called for a log that has changed. */
  woken: (log: string) => void;
  /** Called when any log may have changed. */
  wokenAny: () => void;
}

/**
 * Looks from time to time for what others have committed: where no connection can listen it is the only way to hear of it, and
 * elsewhere it finds what a process has committed that was killed before it could tell.
 */
export class Polling {
  readonly #options: PollingOptions;
  #ends = new Map<string, string>();
  #snapshot: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #underWay: Promise<void> = Promise.resolve();
  #isClosed = false;

  constructor(options: PollingOptions) {
    this.#options = options;
  }

  /** Begins to look, unless it does already. */
  start(): void {
    if (this.#timer !== undefined || this.#isClosed) return;
    const delay = this.#options.isListening() ? besideMilliseconds : aloneMilliseconds;
    this.#timer = setTimeout(() => {
      this.#underWay = this.#lookAndGoOn();
    }, delay).unref();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#underWay;
  }

  async #lookAndGoOn(): Promise<void> {
    // A database that cannot be reached is looked at again later.
    await this.#look().catch(() => {});
    this.#timer = undefined;
    if (this.#options.listened() !== undefined) this.start();
  }

  async #look(): Promise<void> {
    const { database, listened, woken, wokenAny } = this.#options;
    const logs = listened();
    if (logs === undefined) return;
    const [now] = await database.rows<{ snapshot: string }>(
      'SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS snapshot',
    );
    // Nothing at all was written since the last look.
    if (now === undefined || now.snapshot === this.#snapshot) return;
    this.#snapshot = now.snapshot;
    const rows = await database.rows<{ log: Buffer; name: Buffer | null; epoch: string; last_seq: string }>(
      'SELECT log, name, epoch, last_seq::text AS last_seq FROM loom.logs WHERE log = ANY ($1)',
      [logs.map(keyOf)],
    );
    const ends = new Map(rows.map((row) => [textOfKey(row.log, row.name), `${row.epoch} ${row.last_seq}`]));
    const known = this.#ends;
    this.#ends = ends;
    for (const [log, end] of ends) {
      // At the first look at a log it is not known what its listeners have seen.
      if (known.get(log) !== end) woken(log);
    }
    wokenAny();
  }
}

const besideMilliseconds = 2_000;
const aloneMilliseconds = 250;
