import { blockFilter, blocksBehind, compileQuery, searchAllowance } from '@loom/kernel/search';
import type { FoundBlock, IndexedRoot } from '@loom/kernel/search';
import type { ScanTask } from './search-message.ts';
import type { Stretch } from './stretch.ts';
import { TextScan } from './text-scan.ts';
import type { ScannedTexts } from './text-scan.ts';

export interface StretchScanSettings {
  /** Returns true once the results of the search are no longer wanted. */
  isCancelled: (run: number) => boolean;
  /** The longest time that JavaScript's engine may make no progress, in milliseconds of processor time. */
  patience: number;
}

/** The scans of a thread: those of one search follow one another and have one budget. */
export class StretchScans {
  readonly #settings: StretchScanSettings;
  #current: { run: number; scan: TextScan } | undefined;

  constructor(settings: StretchScanSettings) {
    this.#settings = settings;
  }

  /** Returns an empty batch of the search that a task belongs to. */
  batch({ run, search, budget }: ScanTask): StretchBatch {
    if (this.#current?.run === run) return new StretchBatch(this.#current.scan);
    const compiled = compileQuery(search.query);
    if (!compiled.ok) throw new TypeError(`the query cannot be compiled: ${compiled.refusal.reason}`);
    const { isCancelled, patience } = this.#settings;
    const scan = new TextScan(compiled.matcher, search, budget, { isCancelled: () => isCancelled(run), patience });
    this.#current = { run, scan };
    return new StretchBatch(scan);
  }
}

/** A conversation while its stretches are searched. */
export class ScannedRoot {
  readonly #root: string;
  readonly #after: string | undefined;
  readonly #isWanted: ReturnType<typeof blockFilter>;
  readonly #searched: Searched[] = [];

  constructor(root: string, { search, begin }: Pick<ScanTask, 'search' | 'begin'>) {
    this.#root = root;
    this.#after = begin?.root === root ? begin.after : undefined;
    this.#isWanted = blockFilter(search.options);
  }

  /** Adds the wanted blocks of its next stretch to the texts that are searched together. */
  add(stretch: Stretch, batch: StretchBatch): void {
    const { blocks } = stretch;
    const first = blocks.length - blocksBehind(blocks, this.#after).length;
    const asked = rangesOf(blocks.map((block, index) => index >= first && this.#isWanted(block)));
    if (asked.length === 0) return;
    const entry = new ScannedStretch(stretch, asked);
    this.#searched.push(entry);
    // Texts that are no longer searched need not be read.
    if (!batch.isOver) batch.add(entry);
  }

  /** Takes note that the stretches from here on are left for another search. */
  leaveRest(): void {
    this.#searched.push(leftOut);
  }

  /** Returns the answer, once the batch was flushed. */
  answer(): IndexedRoot {
    return { type: 'searched', ...answerOf(this.#root, this.#searched, this.#after) };
  }
}

/** The outcome of searching a stretch. */
interface Searched {
  readonly found: readonly FoundBlock[];
  /** The last block up to which everything was searched. */
  readonly last: string | undefined;
  readonly isWhole: boolean;
  readonly isSkipping: boolean;
}

const leftOut: Searched = { found: [], last: undefined, isWhole: false, isSkipping: false };

/** A stretch while it is searched. */
class ScannedStretch implements ScannedTexts, Searched {
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
  stretches: readonly Searched[],
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
export class StretchBatch {
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
