import { canonicalType } from '@loom/blocks';
import type { Role } from '@loom/blocks';
import type { QueryMatcher } from './query.ts';
import { searchAllowance, searchText } from './text-search.ts';
import type { SearchAllowance, TextMatch } from './text-search.ts';

/** A block as it is offered to a search. */
export interface SearchableBlock {
  block_id: string;
  /** Its type, in any accepted spelling. */
  kind: string;
  /** The root it belongs to; a block without one is in no root. */
  root?: string | undefined;
  /** The role of its node; a block without one is in no message. */
  role?: Role | undefined;
  path?: string | undefined;
  text: string;
}

export interface BlockSearchOptions {
  /** In any accepted spelling; `tool_result` means every block of a tool message. */
  kinds?: readonly string[] | undefined;
  path_prefix?: string | undefined;
  roots?: readonly string[] | undefined;
  context_lines?: number | undefined;
  max_matches_per_block?: number | undefined;
  max_blocks?: number | undefined;
}

export interface BlockMatches {
  block_id: string;
  path?: string;
  matches: TextMatch[];
  /** There only if this block has more matches than are listed. */
  truncated?: true;
}

export interface BlockSearchResult {
  blocks: BlockMatches[];
  /** Something was left out: matches of a block, whole blocks, or what the search did not come to see. */
  truncated: boolean;
}

/** Searches blocks one after the other, so that the caller may do other things between two of them. */
export class BlockSearch {
  readonly #matcher: QueryMatcher;
  readonly #options: BlockSearchOptions;
  readonly #kinds: ReadonlySet<string>;
  readonly #roots: ReadonlySet<string> | undefined;
  readonly #maxBlocks: number;
  readonly #allowance: SearchAllowance;
  readonly #blocks: BlockMatches[] = [];
  #truncated = false;
  #full = false;

  constructor(matcher: QueryMatcher, options: BlockSearchOptions = {}, allowance: SearchAllowance = searchAllowance()) {
    this.#matcher = matcher;
    this.#options = options;
    this.#kinds = new Set((options.kinds ?? ['file']).map(canonicalType));
    this.#roots = options.roots && new Set(options.roots);
    this.#maxBlocks = options.max_blocks ?? 100;
    this.#allowance = allowance;
  }

  /** True when no further block will be looked at. */
  get full(): boolean {
    return this.#full;
  }

  /** Whether a block would be searched: the filters need no text, so that a caller can ask before it reads one. */
  wants(block: Omit<SearchableBlock, 'text'>): boolean {
    const { path_prefix: prefix } = this.#options;
    const isKind =
      this.#kinds.has(canonicalType(block.kind)) || (block.role === 'tool' && this.#kinds.has('tool_result'));
    const isBelow = prefix === undefined || (block.path?.startsWith(prefix) ?? false);
    const isInRoot = this.#roots === undefined || (block.root !== undefined && this.#roots.has(block.root));
    return isKind && isBelow && isInRoot;
  }

  /** Searches one more block; the answer is whether the search is full. */
  add(block: SearchableBlock): boolean {
    if (this.#full || !this.wants(block)) return this.#full;
    // Only a block that is left out makes the result incomplete.
    if (this.#blocks.length >= this.#maxBlocks || this.#allowance.matches <= 0) {
      this.#truncated = true;
      this.#full = true;
      return true;
    }
    const { context_lines, max_matches_per_block: max_matches } = this.#options;
    const { matches, truncated } = searchText(
      block.text,
      this.#matcher,
      { context_lines, max_matches },
      this.#allowance,
    );
    if (matches.length > 0) {
      this.#blocks.push({
        block_id: block.block_id,
        ...(block.path !== undefined && { path: block.path }),
        matches,
        ...(truncated && { truncated }),
      });
    }
    this.#truncated ||= truncated;
    this.#full = this.#allowance.meter.exhausted || this.#allowance.characters < 0;
    return this.#full;
  }

  result(): BlockSearchResult {
    return { blocks: this.#blocks, truncated: this.#truncated };
  }
}
