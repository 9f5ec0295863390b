import type { DatabaseSync } from 'node:sqlite';
import { blockFilter, compileQuery, looksAtRecords } from '@loom/kernel/search';
import type { BlockSearchOptions, IndexedRoot } from '@loom/kernel/search';
import { searchedEntry } from './index/chunk-row.ts';
import type { ChunkTexts } from './index/chunk-texts.ts';
import { FoundBlocks } from './found-blocks.ts';
import { DamagedIndex } from './row-values.ts';
import type { PlannedRoot, ScanTask } from './search-message.ts';
import type { SnapshotReader } from './snapshot-reader.ts';
import { placeOfCandidate } from './stretches.ts';
import type { TextCache } from './text-cache.ts';
import { TextScan } from './text-scan.ts';
import type { ScannedTexts } from './text-scan.ts';

export interface RootScanSettings {
  /** What the search finds is not wanted any more. */
  isCancelled: (run: number) => boolean;
  /** A search has taken so long that `re2js` does not go on with it. */
  isLate: (run: number) => boolean;
  /** How long JavaScript's engine may not get on, in milliseconds of processor time. */
  patience: number;
}

/** Searches roots in the texts of their snapshots. */
export class RootScan {
  readonly #database: DatabaseSync;
  readonly #reader: SnapshotReader;
  readonly #cache: TextCache;
  readonly #settings: RootScanSettings;
  /** Where roots are, as of a version of the database. */
  readonly #seen = new Map<string, string>();
  #version = -1;
  /** Scans of one search follow one another and have one budget. */
  #current: { run: number; scan: TextScan } | undefined;

  constructor(database: DatabaseSync, reader: SnapshotReader, cache: TextCache, settings: RootScanSettings) {
    this.#database = database;
    this.#reader = reader;
    this.#cache = cache;
    this.#settings = settings;
  }

  run(task: ScanTask): IndexedRoot[] {
    const scan = this.#scanFor(task);
    return this.#reading(() => {
      const version = this.#reader.dataVersion();
      if (version !== this.#version) this.#seen.clear();
      this.#version = version;
      const batch = new Batch(scan);
      const answers = task.roots.map((planned) => this.#searchRoot(planned, task.search.options, batch));
      batch.flush();
      return answers.map((answer) => answer());
    });
  }

  #scanFor({ run, search, budget }: ScanTask): TextScan {
    if (this.#current?.run === run) return this.#current.scan;
    const compiled = compileQuery(search.query);
    if (!compiled.ok) throw new TypeError(`the query cannot be compiled: ${compiled.refusal.reason}`);
    const { isCancelled, isLate, patience } = this.#settings;
    const around = { isCancelled: () => isCancelled(run), isLate: () => isLate(run), patience };
    const scan = new TextScan(compiled.matcher, search, budget, around);
    this.#current = { run, scan };
    return scan;
  }

  /** Puts what is to be searched into the batch; the answer is there when that was searched. */
  #searchRoot(planned: PlannedRoot, options: BlockSearchOptions, batch: Batch): () => IndexedRoot {
    const { root, projection } = planned;
    const known = this.#cache.root(planned);
    // What has changed since the plan was made is not known; index and database were read at a moment of their own.
    if (known === undefined || !this.#isAt(planned)) return () => ({ type: 'unknown', root });
    const isWanted = blockFilter(options);
    const hasWanted = kindFilter(options);
    // What is known of every block without its text keeps most texts from being searched.
    const isSought = looksAtRecords(options)
      ? (chunk: ChunkTexts, block: number) => isWanted({ ...searchedEntry(chunk.block(block)), root })
      : () => true;
    const found = new FoundBlocks();
    let waiting = 0;
    for (const [chunk, isAsked] of askedChunks(known.chunks, planned)) {
      if (!hasWanted(chunk)) continue;
      for (const piece of chunk.pieces) {
        const isHere = (block: number): boolean => (chunk.ranks[block] ?? -1) >= 0 && isAsked(block);
        const asked = rangesOf(piece.blocks, (block) => isHere(block) && isSought(chunk, block));
        if (asked.length === 0) continue;
        waiting += 1;
        // What is not searched any more need not be read.
        if (batch.isOver) continue;
        batch.add({
          texts: chunk.textsOf(piece, this.#reader, projection),
          asked,
          found: (index, { matches, truncated }) => {
            const block = piece.blocks[index] ?? -1;
            const entry = chunk.block(block);
            const { path, ...known } = searchedEntry(entry);
            if (!isWanted({ ...known, path, root })) return;
            const about = { block_id: entry[0], ...(path !== undefined && { path }) };
            found.add(chunk.ranks[block] ?? -1, { ...about, matches, ...(truncated && { truncated }) });
          },
          finished: () => (waiting -= 1),
        });
      }
    }
    return () => ({ type: 'searched', root, blocks: found.inOrder(), truncated: waiting > 0 });
  }

  /** Whether the snapshot is still the one that was planned with; asked once, unless the log was written to meanwhile. */
  #isAt({ root, epoch, seq }: PlannedRoot): boolean {
    const at = `${seq} ${epoch}`;
    if (this.#seen.get(root) === at) return true;
    const isAt = this.#reader.isAt(root, epoch, seq);
    if (isAt) this.#seen.set(root, at);
    return isAt;
  }

  #reading<T>(work: () => T): T {
    this.#database.exec('BEGIN');
    try {
      return this.#reader.reading(work);
    } finally {
      if (this.#database.isTransaction) this.#database.exec('COMMIT');
    }
  }
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
    // With re2js the time for reading counts too.
    if (this.#size > largestBatch || !this.#scan.isNative) this.flush();
  }

  flush(): void {
    if (this.#texts.length > 0) this.#scan.search(this.#texts);
    this.#texts = [];
    this.#size = 0;
  }
}

/** Where blocks that are asked for lie side by side. */
function rangesOf(blocks: Int32Array, isAsked: (block: number) => boolean): { from: number; to: number }[] {
  const ranges: { from: number; to: number }[] = [];
  for (const [index, block] of blocks.entries()) {
    if (!isAsked(block)) continue;
    const last = ranges.at(-1);
    if (last?.to === index) last.to += 1;
    else ranges.push({ from: index, to: index + 1 });
  }
  return ranges;
}

/** The chunks to look into, and which of their blocks. */
function* askedChunks(
  chunks: readonly ChunkTexts[],
  { candidates }: PlannedRoot,
): Generator<[ChunkTexts, (block: number) => boolean]> {
  if (candidates === undefined) {
    for (const chunk of chunks) yield [chunk, () => true];
    return;
  }
  const byId = new Map(chunks.map((chunk) => [chunk.id, chunk]));
  for (const [id, asked] of Map.groupBy(candidates, (one) => (one < 0 ? -one : placeOfCandidate(one).chunk))) {
    const chunk = byId.get(id);
    if (chunk === undefined) throw new DamagedIndex('a chunk is missing');
    if (asked.some((one) => one < 0)) {
      yield [chunk, () => true];
      continue;
    }
    const { stretches } = chunk;
    const ranges = asked.map((one) => stretches[placeOfCandidate(one).stretch]);
    yield [chunk, (block) => ranges.some((range) => range !== undefined && block >= range.from && block < range.to)];
  }
}

function kindFilter({ kinds }: BlockSearchOptions): (chunk: ChunkTexts) => boolean {
  const isWanted = blockFilter({ kinds });
  return (chunk) =>
    chunk.kinds.some((kind) => isWanted(kind === 'tool_result' ? { kind: 'text', role: 'tool' } : { kind }));
}

/** In UTF-16 code units. */
const largestBatch = 16_000_000;
