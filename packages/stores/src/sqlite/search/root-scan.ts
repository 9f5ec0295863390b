import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { blockFilter, blocksBehind, compileQuery, searchAllowance } from '@loom/kernel/search';
import type { FoundBlock, IndexedRoot } from '@loom/kernel/search';
import { numberOf } from './row-values.ts';
import type { PlannedRoot, ScanTask } from './search-message.ts';
import type { Stretch } from './stretch.ts';
import type { StretchCache } from './stretch-cache.ts';
import { TextScan } from './text-scan.ts';
import type { ScannedTexts } from './text-scan.ts';

export interface RootScanSettings {
  /** Returns true once the results of the search are no longer wanted. */
  isCancelled: (run: number) => boolean;
  /** The longest time that JavaScript's engine may make no progress, in milliseconds of processor time. */
  patience: number;
}

/** Searches roots in the stretches of the index. */
export class RootScan {
  readonly #database: DatabaseSync;
  readonly #cache: StretchCache;
  readonly #settings: RootScanSettings;
  readonly #log: StatementSync;
  readonly #stretches: StatementSync;
  /** Scans of one search follow one another and have one budget. */
  #current: { run: number; scan: TextScan } | undefined;

  constructor(database: DatabaseSync, cache: StretchCache, settings: RootScanSettings) {
    this.#database = database;
    this.#cache = cache;
    this.#settings = settings;
    this.#log = database.prepare('SELECT epoch, seq FROM logs WHERE id = ?');
    this.#stretches = database.prepare('SELECT id FROM stretches WHERE log = ? ORDER BY place');
  }

  run(task: ScanTask): IndexedRoot[] {
    const scan = this.#scanFor(task);
    this.#database.exec('BEGIN');
    try {
      const batch = new Batch(scan);
      const answers = task.roots.map((planned) => this.#searchRoot(planned, task, batch));
      batch.flush();
      return answers.map((answer) => answer());
    } finally {
      if (this.#database.isTransaction) this.#database.exec('COMMIT');
    }
  }

  #scanFor({ run, search, budget }: ScanTask): TextScan {
    if (this.#current?.run === run) return this.#current.scan;
    const compiled = compileQuery(search.query);
    if (!compiled.ok) throw new TypeError(`the query cannot be compiled: ${compiled.refusal.reason}`);
    const { isCancelled, patience } = this.#settings;
    const scan = new TextScan(compiled.matcher, search, budget, { isCancelled: () => isCancelled(run), patience });
    this.#current = { run, scan };
    return scan;
  }

  /** Adds the texts of a root to the batch; the returned function gives the answer once they were searched. */
  #searchRoot(planned: PlannedRoot, { search, begin }: ScanTask, batch: Batch): () => IndexedRoot {
    const { root, log, epoch, seq } = planned;
    const at = this.#log.get(log);
    // Changes since the plan was made are unknown.
    if (at?.['epoch'] !== epoch || at['seq'] !== seq) return () => ({ type: 'unknown', root });
    const isWanted = blockFilter(search.options);
    const after = begin?.root === root ? begin.after : undefined;
    const scanned: ScannedStretch[] = [];
    for (const stretch of this.#stretchesOf(planned, after)) {
      const { blocks } = stretch;
      const first = blocks.length - blocksBehind(blocks, after).length;
      const asked = rangesOf(blocks.map((block, index) => index >= first && isWanted(block)));
      if (asked.length === 0) continue;
      const entry = new ScannedStretch(stretch, asked);
      scanned.push(entry);
      // Texts that are no longer searched need not be read.
      if (!batch.isOver) batch.add(entry);
    }
    return () => ({ type: 'searched', ...answerOf(root, scanned, after) });
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

/** A stretch while it is searched. */
class ScannedStretch implements ScannedTexts {
  readonly asked: ScannedTexts['asked'];
  readonly found: FoundBlock[] = [];
  readonly #stretch: Stretch;
  /** The last block up to which everything was searched. */
  #last: number | undefined;
  isWhole = false;
  isSkipping = false;

  constructor(stretch: Stretch, asked: ScannedTexts['asked']) {
    this.#stretch = stretch;
    this.asked = asked;
  }

  get texts(): ScannedTexts['texts'] {
    return this.#stretch.texts;
  }

  get last(): string | undefined {
    return this.#last === undefined ? undefined : this.#stretch.blocks[this.#last]?.block_id;
  }

  add(index: number, { matches, truncated, quality }: Parameters<ScannedTexts['add']>[1]): void {
    const { block_id, path } = this.#stretch.blocks[index] ?? { block_id: '' };
    const about = { block_id, ...(path !== undefined && { path }) };
    this.found.push({ ...about, matches, ...(truncated && { truncated }), quality });
  }

  reached(index: number): void {
    this.#last = index;
    this.isWhole = index === (this.asked.at(-1)?.to ?? 0) - 1;
  }

  skipped(): void {
    this.isSkipping = true;
  }
}

/** Returns the results up to the point that the search reached, as many as one answer may have. */
function answerOf(
  root: string,
  stretches: readonly ScannedStretch[],
  after: string | undefined,
): Omit<Extract<IndexedRoot, { type: 'searched' }>, 'type'> {
  const blocks: FoundBlock[] = [];
  const left = searchAllowance();
  const skipped = stretches.some(({ isSkipping }) => isSkipping) && { skipped: true as const };
  let last = after;
  for (const stretch of stretches) {
    for (const block of stretch.found) {
      left.matches -= block.matches.length;
      left.characters -= block.matches.reduce((sum, { content }) => sum + content.length, 0);
      blocks.push(block);
      if (left.matches <= 0 || left.characters <= 0)
        return { root, blocks, stop: { after: block.block_id }, ...skipped };
    }
    last = stretch.last ?? last;
    if (!stretch.isWhole) return { root, blocks, stop: last === undefined ? {} : { after: last }, ...skipped };
  }
  return { root, blocks, ...skipped };
}

/** Texts that are searched at once: to begin takes a moment, within which a search cannot be stopped. */
class Batch {
  readonly #scan: TextScan;
  #texts: ScannedTexts[] = [];
  #size = 0;

  constructor(scan: TextScan) {
    this.#scan = scan;
  }

  get isOver(): boolean {
    return this.#scan.isOver;
  }

  add(texts: ScannedTexts): void {
    this.#texts.push(texts);
    this.#size += texts.texts.text.length;
    if (this.#size > largestBatch || !this.#scan.isNative) this.flush();
  }

  flush(): void {
    if (this.#texts.length > 0) this.#scan.search(this.#texts);
    this.#texts = [];
    this.#size = 0;
  }
}

/** Returns the runs of adjacent blocks that are asked for. */
function rangesOf(isAsked: readonly boolean[]): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (const [index, asked] of isAsked.entries()) {
    if (!asked) continue;
    const last = ranges.at(-1);
    if (last?.to === index) last.to += 1;
    else ranges.push({ from: index, to: index + 1 });
  }
  return ranges;
}

/** The largest batch, in UTF-16 code units. */
const largestBatch = 4_000_000;
