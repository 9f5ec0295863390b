import type { ParamsOf, ResultOf } from '@loom/kernel';
import { Store } from '../stores/store.ts';
import type { ReadableStore } from '../stores/store.ts';
import { describeFailure } from '../words/failures.ts';
import { excerptOf } from './excerpt.ts';
import type { Excerpt } from './excerpt.ts';
import { patternOf } from './query.ts';
import type { Query } from './query.ts';
import { searchParams } from './search-params.ts';

export type BlockPlace = ResultOf<'block.locate'>['places'][number];
type Found = ResultOf<'kernel.search'>;

/** A block in which something was found. */
export interface Hit {
  readonly block: string;
  readonly root: string;
  readonly path?: string;
  readonly excerpt: Excerpt;
  /** The place of the block, asked for after the hits are shown. */
  readonly place?: BlockPlace;
}

export interface SearchState {
  /** The query that this is about. */
  readonly query?: Query;
  readonly status: 'idle' | 'searching' | 'done' | 'failed';
  /** The hits, those of one conversation side by side, the best first. */
  readonly hits: readonly Hit[];
  /** The number of blocks with a match in each conversation. */
  readonly counts: ReadonlyMap<string, number>;
  /** True if everything was searched. */
  readonly isComplete: boolean;
  /** The number of conversations searched, and of how many. */
  readonly searched: Found['searched'];
  /** The point to continue the search from. */
  readonly next?: string;
  /** The further results without the filters. */
  readonly others: readonly Hit[];
  readonly milliseconds?: number;
  readonly problem?: string;
}

/** The services that the searches need from the page. */
export interface SearchPorts {
  search(params: ParamsOf<'kernel.search'>, signal: AbortSignal): Promise<Found>;
  locate(blocks: readonly string[], signal: AbortSignal): Promise<readonly BlockPlace[]>;
  /** The conversation that is open. */
  here(): string | undefined;
  now(): number;
  after(milliseconds: number, callback: () => void): () => void;
}

const nothing = { conversations: 0, of: 0 };
/** The state without a search. */
export const idle: SearchState = {
  status: 'idle',
  hits: [],
  counts: new Map(),
  isComplete: true,
  searched: nothing,
  others: [],
};
/** A search that has found nothing yet. */
export const pending: SearchState = { ...idle, status: 'searching' };
type FoundHits = Pick<SearchState, 'hits' | 'counts' | 'isComplete' | 'searched' | 'next'>;

/** The pause in typing that starts a search, in milliseconds. */
const rest = 120;
/** The number of blocks located first, and the number after that: `block.locate` takes no more. */
const firstLocated = 12;
const mostLocated = 100;
/** The number of hits below which those without the filters are searched for too. */
const few = 8;

/** Searches for the typed text: one search at a time, the last one. Results of an earlier query go as soon as the next one is typed. */
export class BlockSearches {
  readonly #ports: SearchPorts;
  readonly #state = new Store<SearchState>(idle);
  readonly state: ReadableStore<SearchState> = this.#state;
  /** The last query. */
  #query: Query | undefined;
  #cancel: () => void = () => {};

  constructor(ports: SearchPorts) {
    this.#ports = ports;
  }

  look(query: Query): void {
    this.stop();
    if (query.text.trim() === '') return this.#state.set({ ...idle, query });
    const controller = new AbortController();
    const forget = this.#ports.after(rest, () => void this.#run(query, controller.signal));
    this.#cancel = () => {
      forget();
      controller.abort();
    };
    // Results of another query would be taken for results of this one.
    return this.#state.set({ ...pending, query });
  }

  stop(): void {
    this.#cancel();
  }

  /** Continues the search; new results come behind the others. */
  goOn(): void {
    const { next, status } = this.#state.getSnapshot();
    const query = this.#query;
    if (status !== 'done' || next === undefined || query === undefined) return;
    const controller = new AbortController();
    this.#cancel = () => controller.abort();
    this.#state.update((before) => ({ ...before, status: 'searching' }));
    void this.#searchOn(query, next, controller.signal);
  }

  /** Shows all hits of one conversation in the place of the best ones. */
  async more(root: string): Promise<void> {
    const query = this.#query;
    if (query === undefined || this.#state.getSnapshot().status !== 'done') return;
    const { signal } = new AbortController();
    const made = searchParams(query, { root: this.#ports.here(), now: this.#ports.now() });
    if ('problem' in made) return;
    const { max_blocks_per_root: _most, ...params } = made.params;
    const { blocks } = await this.#ports.search({ ...params, roots: [root] }, signal);
    const needle = patternOf(query.text)?.pattern ?? query.text.trim();
    const show = (own: readonly Hit[]): void => {
      const state = this.#state.getSnapshot();
      if (state.query !== query && this.#query !== query) return;
      const at = state.hits.findIndex((hit) => hit.root === root);
      const others = state.hits.filter((hit) => hit.root !== root);
      this.#state.set({ ...state, hits: [...others.slice(0, at), ...own, ...others.slice(at)] });
    };
    const hits = blocks.flatMap((block) => hitsOf(block, needle));
    show(hits);
    await this.#place(hits, signal, show);
  }

  async #run(query: Query, signal: AbortSignal): Promise<void> {
    const show = (state: Partial<SearchState>): void => {
      if (!signal.aborted) this.#state.update((before) => ({ ...before, ...state }));
    };
    this.#query = query;
    try {
      const begun = this.#ports.now();
      const { hits, ...found } = await this.#find(query, signal);
      const others: readonly Hit[] = [];
      const milliseconds = this.#ports.now() - begun;
      if (!signal.aborted) this.#state.set({ query, status: 'done', hits, ...found, others, milliseconds });
      await this.#place(hits, signal, (placed) => show({ hits: placed }));
      if (query.filters.length === 0 || hits.length >= few) return;
      const more = await this.#find({ filters: [], text: query.text }, signal);
      const beside = more.hits.filter(({ block }) => hits.every((hit) => hit.block !== block));
      show({ others: beside });
      await this.#place(beside, signal, (placed) => show({ others: placed }));
    } catch (error) {
      if (!signal.aborted) this.#state.set({ ...idle, query, status: 'failed', problem: describeFailure(error) });
    }
  }

  async #searchOn(query: Query, from: string, signal: AbortSignal): Promise<void> {
    const { hits: known, counts: before } = this.#state.getSnapshot();
    try {
      const { hits, counts, isComplete, searched, next } = await this.#find(query, signal, from);
      if (signal.aborted) return;
      const all = new Map(before);
      // A conversation may have been left in its middle.
      for (const [root, count] of counts) all.set(root, (all.get(root) ?? 0) + count);
      const show = (found: readonly Hit[]): void =>
        this.#state.update(({ next: _next, ...state }) => ({
          ...state,
          status: 'done',
          hits: [...known, ...found],
          counts: all,
          isComplete,
          searched,
          ...(next === undefined ? {} : { next }),
        }));
      show(hits);
      await this.#place(hits, signal, show);
    } catch (error) {
      if (!signal.aborted) this.#state.set({ ...idle, status: 'failed', problem: describeFailure(error) });
    }
  }

  async #find(query: Query, signal: AbortSignal, from?: string): Promise<FoundHits> {
    const made = searchParams(query, { root: this.#ports.here(), now: this.#ports.now() });
    if ('problem' in made) throw new Error(made.problem);
    const params = from === undefined ? made.params : { ...made.params, from };
    const { blocks, conversations, complete, searched, next } = await this.#ports.search(params, signal);
    const needle = patternOf(query.text)?.pattern ?? query.text.trim();
    return {
      hits: blocks.flatMap((block) => hitsOf(block, needle)),
      counts: new Map(conversations.map(({ root, blocks: count }) => [root, count])),
      isComplete: complete,
      searched,
      ...(next === undefined ? {} : { next }),
    };
  }

  async #place(hits: readonly Hit[], signal: AbortSignal, show: (hits: Hit[]) => void): Promise<void> {
    if (hits.length === 0) return;
    let placed = [...hits];
    // The results in sight first: to locate a block its conversation has to be read.
    for (let [at, end] = [0, firstLocated]; at < hits.length; [at, end] = [end, end + mostLocated]) {
      const asked = hits.slice(at, end).map(({ block }) => block);
      const places = await this.#ports.locate(asked, signal);
      placed = withPlaces(placed, new Set(asked), places);
      show(placed);
    }
  }
}

/** Returns the hits with the places that were asked for. Drops blocks deleted since they were indexed. */
function withPlaces(hits: readonly Hit[], asked: ReadonlySet<string>, places: readonly BlockPlace[]): Hit[] {
  const known = new Map(places.map((place) => [place.block_id, place]));
  return hits.flatMap((hit) => {
    if (!asked.has(hit.block)) return [hit];
    const place = known.get(hit.block);
    return place === undefined ? [] : [{ ...hit, place }];
  });
}

function hitsOf({ block_id: block, path, matches }: Found['blocks'][number], needle: string): Hit[] {
  const match = matches.find(isWholeWord) ?? matches[0];
  if (match === undefined) return [];
  const root = block.slice(0, block.indexOf('/'));
  return [{ block, root, ...(path === undefined ? {} : { path }), excerpt: excerptOf(match, needle) }];
}

type Match = Found['blocks'][number]['matches'][number];

/** Returns true if a match is a whole word: of several matches in a block the first such one is shown. */
function isWholeWord({ content, match_start: start, match_end: end }: Match): boolean {
  return (
    !content.startsWith('…') &&
    !/[\p{L}\p{N}_]/u.test(content.slice(Math.max(0, start - 1), start) + content.slice(end, end + 1))
  );
}
