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
  /** It is asked for after what was found is shown. */
  readonly place?: BlockPlace;
}

export interface SearchState {
  readonly status: 'idle' | 'searching' | 'done' | 'failed';
  readonly hits: readonly Hit[];
  /** There may be more. */
  readonly isCut: boolean;
  /** What is found beside them without the filters. */
  readonly others: readonly Hit[];
  readonly milliseconds?: number;
  readonly problem?: string;
}

/** What the searches need of the page. */
export interface SearchPorts {
  search(params: ParamsOf<'kernel.search'>, signal: AbortSignal): Promise<Found>;
  locate(blocks: readonly string[], signal: AbortSignal): Promise<readonly BlockPlace[]>;
  /** The conversation that is open. */
  here(): string | undefined;
  now(): number;
  after(milliseconds: number, callback: () => void): () => void;
}

const idle: SearchState = { status: 'idle', hits: [], isCut: false, others: [] };
/** How long the typing has to rest. */
const rest = 120;
/** With fewer hits than this, what the filters leave out is looked for too. */
const few = 8;

/** Searches for what is typed: one at a time, the last one. What was found stays until the next answer comes. */
export class BlockSearches {
  readonly #ports: SearchPorts;
  readonly #state = new Store<SearchState>(idle);
  readonly state: ReadableStore<SearchState> = this.#state;
  #cancel: () => void = () => {};

  constructor(ports: SearchPorts) {
    this.#ports = ports;
  }

  look(query: Query): void {
    this.stop();
    if (query.text.trim() === '') return this.#state.set(idle);
    const controller = new AbortController();
    const forget = this.#ports.after(rest, () => void this.#run(query, controller.signal));
    this.#cancel = () => {
      forget();
      controller.abort();
    };
    return this.#state.update((before) => ({ ...before, status: 'searching' }));
  }

  stop(): void {
    this.#cancel();
  }

  async #run(query: Query, signal: AbortSignal): Promise<void> {
    const show = (state: Partial<SearchState>): void => {
      if (!signal.aborted) this.#state.update((before) => ({ ...before, ...state }));
    };
    try {
      const begun = this.#ports.now();
      const { hits, isCut } = await this.#find(query, signal);
      const others: readonly Hit[] = [];
      const milliseconds = this.#ports.now() - begun;
      if (!signal.aborted) this.#state.set({ status: 'done', hits, isCut, others, milliseconds });
      await this.#place(hits, signal, (placed) => show({ hits: placed }));
      if (query.filters.length === 0 || hits.length >= few) return;
      const more = await this.#find({ filters: [], text: query.text }, signal);
      const beside = more.hits.filter(({ block }) => hits.every((hit) => hit.block !== block));
      show({ others: beside });
      await this.#place(beside, signal, (placed) => show({ others: placed }));
    } catch (error) {
      if (!signal.aborted) this.#state.set({ ...idle, status: 'failed', problem: describeFailure(error) });
    }
  }

  async #find(query: Query, signal: AbortSignal): Promise<{ hits: Hit[]; isCut: boolean }> {
    const made = searchParams(query, { root: this.#ports.here(), now: this.#ports.now() });
    if ('problem' in made) throw new Error(made.problem);
    const { blocks, truncated } = await this.#ports.search(made.params, signal);
    const needle = patternOf(query.text)?.pattern ?? query.text.trim();
    return { hits: blocks.flatMap((block) => hitsOf(block, needle)), isCut: truncated };
  }

  async #place(hits: readonly Hit[], signal: AbortSignal, show: (hits: Hit[]) => void): Promise<void> {
    if (hits.length === 0) return;
    const places = await this.#ports.locate(
      hits.map(({ block }) => block),
      signal,
    );
    const known = new Map(places.map((place) => [place.block_id, place]));
    // What was deleted since it was indexed is no result.
    show(
      hits.flatMap((hit) => {
        const place = known.get(hit.block);
        return place === undefined ? [] : [{ ...hit, place }];
      }),
    );
  }
}

function hitsOf({ block_id: block, path, matches }: Found['blocks'][number], needle: string): Hit[] {
  const [match] = matches;
  if (match === undefined) return [];
  const root = block.slice(0, block.indexOf('/'));
  return [{ block, root, ...(path === undefined ? {} : { path }), excerpt: excerptOf(match, needle) }];
}
