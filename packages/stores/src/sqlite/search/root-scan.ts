import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { IndexedRoot } from '@loom/kernel/search';
import type { PlannedRoot, ScanTask } from '../../search/search-message.ts';
import type { Stretch } from '../../search/stretch.ts';
import { ScannedRoot, StretchScans } from '../../search/stretch-scan.ts';
import type { StretchBatch, StretchScanSettings } from '../../search/stretch-scan.ts';
import { numberOf } from './row-values.ts';
import type { StretchCache } from './stretch-cache.ts';

/** Searches roots in the stretches of the index. */
export class RootScan {
  readonly #database: DatabaseSync;
  readonly #cache: StretchCache;
  readonly #scans: StretchScans;
  readonly #log: StatementSync;
  readonly #stretches: StatementSync;

  constructor(database: DatabaseSync, cache: StretchCache, settings: StretchScanSettings) {
    this.#database = database;
    this.#cache = cache;
    this.#scans = new StretchScans(settings);
    this.#log = database.prepare('SELECT epoch, seq FROM logs WHERE id = ?');
    this.#stretches = database.prepare('SELECT id FROM stretches WHERE log = ? ORDER BY place');
  }

  run(task: ScanTask): IndexedRoot[] {
    const batch = this.#scans.batch(task);
    this.#database.exec('BEGIN');
    try {
      const answers = task.roots.map((planned) => this.#searchRoot(planned, task, batch));
      batch.flush();
      return answers.map((answer) => answer());
    } finally {
      if (this.#database.isTransaction) this.#database.exec('COMMIT');
    }
  }

  /** Adds the texts of a root to the batch; the returned function gives the answer once they were searched. */
  #searchRoot(planned: PlannedRoot, task: ScanTask, batch: StretchBatch): () => IndexedRoot {
    const { root, log, epoch, seq } = planned;
    const at = this.#log.get(log);
    // Changes since the plan was made are unknown.
    if (at?.['epoch'] !== epoch || at['seq'] !== seq) return () => ({ type: 'unknown', root });
    const scanned = new ScannedRoot(root, task);
    const after = task.begin?.root === root ? task.begin.after : undefined;
    for (const stretch of this.#stretchesOf(planned, after)) scanned.add(stretch, batch);
    return () => scanned.answer();
  }

  /** Returns the stretches that may have a match, in order, from the one that has a block on, or all if none has. */
  #stretchesOf({ root, log, candidates }: PlannedRoot, after: string | undefined): Stretch[] {
    const wanted = candidates && new Set(candidates);
    const ids = this.#stretches.all(log).map(({ id }) => numberOf(id));
    const holds = (id: number): boolean => this.#cache.get(id, root).blocks.some(({ block_id }) => block_id === after);
    const begin = after === undefined ? 0 : Math.max(0, ids.findIndex(holds));
    return ids
      .slice(begin)
      .filter((id) => wanted?.has(id) ?? true)
      .map((id) => this.#cache.get(id, root));
  }
}
