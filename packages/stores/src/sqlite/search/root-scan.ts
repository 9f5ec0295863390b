import type { DatabaseSync } from 'node:sqlite';
import { blockFilter, compileQuery } from '@loom/kernel/search';
import type { BlockSearchOptions, IndexedRoot } from '@loom/kernel/search';
import type { ChunkTexts } from './chunk-texts.ts';
import { FoundBlocks } from './found-blocks.ts';
import { DamagedIndex } from './row-values.ts';
import type { PlannedRoot, ScanBudget, ScanTask } from './search-message.ts';
import type { SnapshotReader } from './snapshot-reader.ts';
import { placeOfCandidate } from './stretches.ts';
import type { TextCache } from './text-cache.ts';
import { TextScan } from './text-scan.ts';

/** Searches roots in the texts of their snapshots. */
export class RootScan {
  readonly #database: DatabaseSync;
  readonly #reader: SnapshotReader;
  readonly #cache: TextCache;

  constructor(database: DatabaseSync, reader: SnapshotReader, cache: TextCache) {
    this.#database = database;
    this.#reader = reader;
    this.#cache = cache;
  }

  /** `step` is called between chunks; when it answers false the rest is not wanted any more. */
  run({ search, roots, budget }: ScanTask, step: () => boolean): { roots: IndexedRoot[]; budget: ScanBudget } {
    const compiled = compileQuery(search.query);
    if (!compiled.ok) throw new TypeError(compiled.refusal.message);
    const scan = new TextScan(compiled.matcher, search, budget);
    const isWanted = blockFilter(search.options);
    const hasWanted = kindFilter(search.options);
    const answers = this.#reading(() =>
      roots.map((planned) => this.#searchRoot(planned, scan, { isWanted, hasWanted, step })),
    );
    return { roots: answers, budget: scan.budget };
  }

  #searchRoot(planned: PlannedRoot, scan: TextScan, { isWanted, hasWanted, step }: Asked): IndexedRoot {
    const { root, projection, epoch, seq } = planned;
    const texts = this.#cache.root(planned);
    // What has changed since the plan was made is not known; index and database were read at a moment of their own.
    if (texts === undefined || !this.#reader.isAt(root, epoch, seq)) return { type: 'unknown', root };
    const found = new FoundBlocks();
    let isWhole = true;
    for (const [chunk, isAsked] of askedChunks(texts.chunks, planned)) {
      if (!hasWanted(chunk)) continue;
      isWhole &&= !scan.isSpent && step();
      if (!isWhole) break;
      const start = process.threadCpuUsage();
      const isSearched = (block: number): boolean => (chunk.ranks[block] ?? -1) >= 0 && isAsked(block);
      for (const piece of chunk.pieces) {
        if (!piece.blocks.some(isSearched)) continue;
        const text = chunk.textOf(piece, this.#reader, projection);
        scan.scan(text, piece, isSearched, (block, { matches, truncated }) => {
          const [id, kind, role, path] = chunk.block(block);
          if (!isWanted({ kind, role, path, root })) return;
          const match = { block_id: id, ...(path !== undefined && { path }), matches, ...(truncated && { truncated }) };
          found.add(chunk.ranks[block] ?? -1, match);
        });
      }
      if (!scan.isNative) scan.spendSince(start);
    }
    return { type: 'searched', root, blocks: found.inOrder(), truncated: !isWhole || scan.isSpent };
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

interface Asked {
  isWanted: ReturnType<typeof blockFilter>;
  hasWanted: (chunk: ChunkTexts) => boolean;
  step: () => boolean;
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
