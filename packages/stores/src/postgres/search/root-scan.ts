import type { IndexedRoot } from '@loom/kernel/search';
import type { PlannedRoot, ScanTask } from '../../search/search-message.ts';
import { Stretch } from '../../search/stretch.ts';
import { ScannedRoot, StretchScans } from '../../search/stretch-scan.ts';
import type { StretchBatch, StretchScanSettings } from '../../search/stretch-scan.ts';
import { keyOf } from '../bounded-key.ts';
import type { Database } from '../database.ts';
import type { StretchCache } from './stretch-cache.ts';

/** Searches roots in the stretches of the index. */
export class RootScan {
  readonly #database: Database;
  readonly #cache: StretchCache;
  readonly #scans: StretchScans;

  constructor(database: Database, cache: StretchCache, settings: StretchScanSettings) {
    this.#database = database;
    this.#cache = cache;
    this.#scans = new StretchScans(settings);
  }

  async run(task: ScanTask): Promise<IndexedRoot[]> {
    const batch = this.#scans.batch(task);
    const listed = await this.#list(task);
    const answers = new Map(listed.map(({ root }) => [root, new ScannedRoot(root, task)]));
    try {
      await this.#scan(listed, answers, batch);
    } catch (error) {
      // Texts that cannot be unpacked are entered anew. In any case, these conversations are searched without the index.
      await this.#database.rows('DELETE FROM loom.search_logs WHERE log = ANY ($1)', [
        listed.map(({ root }) => keyOf(root)),
      ]);
      throw error;
    }
    return task.roots.map(({ root }) => answers.get(root)?.answer() ?? { type: 'unknown', root });
  }

  /** Reads stretches a few at a time and searches them, until all are searched or the search is over. */
  async #scan(listed: readonly Listed[], answers: Map<string, ScannedRoot>, batch: StretchBatch): Promise<void> {
    const wanted = listed.flatMap(({ root, ids }) => ids.map((id) => ({ root, id })));
    let at = 0;
    for (; at < wanted.length && !batch.isOver; at += atOnce) {
      const part = wanted.slice(at, at + atOnce);
      const stretches = await this.#cache.load(part);
      for (const { root, id } of part) {
        const stretch = stretches.get(id);
        // It has changed since the plan was made.
        if (stretch === undefined) answers.delete(root);
        else answers.get(root)?.add(stretch, batch);
      }
      batch.flush();
    }
    for (const root of new Set(wanted.slice(at).map((one) => one.root))) answers.get(root)?.leaveRest();
  }

  /** Returns for each root that is still entered as it was planned the stretches to search, in their order. */
  async #list({ roots, begin }: ScanTask): Promise<Listed[]> {
    const isListed = ({ root, candidates }: PlannedRoot): boolean => candidates === undefined || root === begin?.root;
    const unlisted = roots.filter(isListed);
    const rows =
      unlisted.length === 0
        ? []
        : await this.#database.rows<ListRow>(listStatement, [
            unlisted.map(({ root }) => keyOf(root)),
            unlisted.map(({ epoch }) => epoch),
            unlisted.map(({ seq }) => seq),
            begin?.root === undefined ? null : keyOf(begin.root),
          ]);
    const found = Map.groupBy(rows, ({ place }) => unlisted[place - 1]?.root ?? '');
    return roots.flatMap((planned): Listed[] => {
      const { root, candidates = [] } = planned;
      if (!isListed(planned)) return [{ root, ids: candidates }];
      const own = found.get(root);
      if (own === undefined) return [];
      const from = begin?.root === root ? placeOf(begin.after, own, root) : 0;
      const ids = own.slice(from).flatMap(({ id }) => (id === null ? [] : [id]));
      const wanted = planned.candidates && new Set(planned.candidates);
      return [{ root, ids: wanted === undefined ? ids : ids.filter((id) => wanted.has(id)) }];
    });
  }
}

interface Listed {
  root: string;
  /** The numbers of the stretches to search. */
  ids: readonly number[];
}

type ListRow = { place: number; id: number | null; blocks: Buffer | null };

/** A root without stretches has one row without a number. */
const listStatement = `
  SELECT w.place::integer AS place, t.id::double precision AS id, CASE WHEN w.log = $4 THEN t.blocks END AS blocks
  FROM unnest($1::bytea[], $2::text[], $3::bigint[]) WITH ORDINALITY AS w (log, epoch, seq, place)
  JOIN loom.search_logs s ON s.log = w.log AND s.epoch = w.epoch AND s.seq = w.seq
  LEFT JOIN loom.stretches t ON t.log = w.log ORDER BY w.place, t.place`;

/** Returns the place of the stretch that has a block, or of the first. */
function placeOf(block: string, rows: readonly ListRow[], root: string): number {
  const holds = ({ id, blocks }: ListRow): boolean =>
    id !== null &&
    blocks !== null &&
    new Stretch({ id, size: 0, blocks, text: Buffer.of() }, root).blocks.some(({ block_id }) => block_id === block);
  return Math.max(0, rows.findIndex(holds));
}

/** The number of stretches that are read at once: some 2 MB of text. */
const atOnce = 64;
