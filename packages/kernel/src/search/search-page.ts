import type { BlockMatches, FoundBlock, SearchedRoot } from './root-search.ts';
import type { SearchPlace } from './search-place.ts';
import { searchAllowance } from './text-search.ts';

export interface SearchPageOptions {
  max_blocks?: number | undefined;
  max_blocks_per_root?: number | undefined;
}

export interface SearchPageResult {
  /** The best first, those of one conversation side by side. */
  blocks: BlockMatches[];
  /**
   * The conversations of the matches, in the same order, each with its number of blocks that have a match, as far as this
   * page has looked.
   */
  conversations: { root: string; blocks: number }[];
  /** Matches, blocks or whole conversations were left out. */
  truncated: boolean;
  /** True if everything was looked through, by this page and those before. */
  complete: boolean;
  /** The beginning of the next page. */
  next?: SearchPlace;
}

/** Puts together one page of what a search finds, conversation by conversation. */
export class SearchPage {
  readonly #mostBlocks: number;
  readonly #mostOfRoot: number;
  readonly #groups: { root: string; chosen: FoundBlock[]; count: number }[] = [];
  #listed = 0;
  readonly #left = { matches: mostMatches, characters: mostCharacters };
  #isPartial: boolean;
  #next: SearchPlace | undefined;

  /** The second page of a search and those after it begin at a place. */
  constructor({ max_blocks = 100, max_blocks_per_root = Infinity }: SearchPageOptions, from?: SearchPlace) {
    this.#mostBlocks = max_blocks;
    this.#mostOfRoot = max_blocks_per_root;
    this.#isPartial = from?.isPartial === true;
  }

  get isOver(): boolean {
    return this.#next !== undefined;
  }

  /** Takes in the matches of the next conversation, which was searched from behind a block on. */
  take({ root, blocks, stop, skipped }: SearchedRoot, after?: string): void {
    this.#isPartial ||= skipped === true;
    const fitting = this.#fit(blocks);
    // A page ends only if something is left out: a full page does not mean that there is more.
    if (blocks.length > 0 && fitting.length === 0) return this.endAt({ root, after });
    const isAll = this.#mostOfRoot === Infinity ? fitting.length === blocks.length : true;
    const chosen = byQuality(fitting).slice(0, Math.min(this.#mostOfRoot, this.#mostBlocks - this.#listed));
    if (chosen.length > 0) {
      this.#groups.push({ root, chosen, count: this.#mostOfRoot === Infinity ? fitting.length : blocks.length });
      this.#listed += chosen.length;
      for (const block of chosen) take(this.#left, block);
    }
    if (!isAll) this.endAt({ root, after: fitting.at(-1)?.block_id });
    else if (stop !== undefined) this.endAt({ root, after: stop.after });
  }

  /** Ends the page before a place. */
  endAt({ root, after }: { root: string; after?: string | undefined }): void {
    this.#next ??= { root, ...(after !== undefined && { after }) };
  }

  /** Notes that something cannot be read, now or later. */
  noteUnreadable(): void {
    this.#isPartial = true;
  }

  result(): SearchPageResult {
    const best = ({ chosen }: { chosen: FoundBlock[] }): number => chosen[0]?.quality ?? 0;
    const groups = this.#groups.toSorted((a, b) => best(b) - best(a));
    const blocks = groups.flatMap(({ chosen }) => chosen.map(({ quality: _quality, ...block }) => block));
    const isCut =
      blocks.some(({ truncated }) => truncated) || groups.some(({ chosen, count }) => count > chosen.length);
    const complete = this.#next === undefined && !this.#isPartial;
    return {
      blocks,
      conversations: groups.map(({ root, count }) => ({ root, blocks: count })),
      truncated: isCut || !complete,
      complete,
      ...(this.#next !== undefined && { next: { ...this.#next, ...(this.#isPartial && { isPartial: true }) } }),
    };
  }

  /** Those that the page has room for; of the first conversation at least one, however long it is. */
  #fit(blocks: FoundBlock[]): FoundBlock[] {
    const room = this.#mostBlocks - this.#listed;
    if (room <= 0) return [];
    const left = { ...this.#left };
    // Their quality decides which of them are listed, so all of them have to be seen at once.
    if (this.#mostOfRoot < Infinity) return take(left, { matches: [] }) ? blocks : [];
    const fitting = blocks.slice(0, room).filter((block) => take(left, block));
    return fitting.length === 0 && this.#listed === 0 ? blocks.slice(0, 1) : fitting;
  }
}

/** Takes what a block has from what there is room for; returns whether there was. */
function take(left: { matches: number; characters: number }, { matches }: Pick<BlockMatches, 'matches'>): boolean {
  left.matches -= matches.length;
  left.characters -= matches.reduce((sum, { content }) => sum + content.length, 0);
  return left.matches >= 0 && left.characters >= 0;
}

function byQuality(blocks: readonly FoundBlock[]): FoundBlock[] {
  return blocks.toSorted((a, b) => b.quality - a.quality);
}

/** One page returns no more than one text may. */
const { matches: mostMatches, characters: mostCharacters } = searchAllowance();
