import { z } from 'zod';
import { isAboutOneLog } from '../store.ts';
import type { HeadsRequest, ListedLog, LogHead, Store } from '../store.ts';
import { senderOf } from './sender.ts';
import type { RootSummary } from './root-head.ts';

/** The last conversation of a page, by its log or, where it has none, by its place in the list of roots. */
export const rootPlace = z.union([
  z.strictObject({ log: z.string(), time: z.number().exactOptional() }),
  z.strictObject({ root: z.string() }),
]);

export type RootPlace = z.infer<typeof rootPlace>;

export interface RootsRequest {
  limit: number;
  after?: RootPlace;
  /** The order; by default those that were changed last come first. */
  order?: HeadsRequest['order'];
  /** Those that were deleted, or the others. Default: the others. */
  deleted?: boolean | 'either';
  /** Those that were archived, the others, or both. Default: both. */
  archived?: ArchivedChoice;
  /** No others than these. */
  among?: readonly string[] | undefined;
  /** No others than those that have it. */
  tag?: string | undefined;
  /** True if conversations of agents that others have sent out are among them. Default: true. */
  children?: boolean;
}

/** The place of archived conversations in a list: beside the others, alone, or nowhere. */
export const archivedChoice = z.enum(['with', 'only', 'without']);
export type ArchivedChoice = z.infer<typeof archivedChoice>;

/** Some conversations, and where the next page begins if there is one. */
export interface RootsPage {
  items: RootSummary[];
  next?: RootPlace;
}

/** A conversation with what a list is made of. */
export interface HeadedRoot {
  root: string;
  head: LogHead | undefined;
  /**
   * The last change that is durable and in memory, which the head may not tell of yet; -1 for a damaged log, `undefined` if nothing of it is
   * in memory, or if an append is under way: its state is ahead of what readers see.
   */
  seq: number | undefined;
  summarize(): Promise<RootSummary>;
}

/** The heads of all logs that have one. Without them everything is found in the logs. */
export async function readHeads(store: Store): Promise<Map<string, LogHead>> {
  const heads = new Map<string, LogHead>();
  try {
    for await (const { log, head } of listLogs(store, { order: 'name', limit: pageSize })) {
      if (head !== undefined) heads.set(log, head);
    }
  } catch (error) {
    if (!isAboutOneLog(error)) throw error;
  }
  return heads;
}

/** Goes through the list of conversations, which is made of the heads of their logs. */
export class RootPages {
  readonly #store: Store;
  readonly #roots: ReadonlyMap<string, unknown>;
  readonly #summarize: (root: string, head: LogHead | undefined) => Promise<RootSummary>;

  constructor(
    store: Store,
    roots: ReadonlyMap<string, unknown>,
    summarize: (root: string, head: LogHead | undefined) => Promise<RootSummary>,
  ) {
    this.#store = store;
    this.#roots = roots;
    this.#summarize = summarize;
  }

  async read(request: RootsRequest): Promise<RootsPage> {
    const { limit, after, order = 'newest', among } = request;
    const items: RootSummary[] = [];
    let last: RootPlace | undefined;
    const only = among && new Set(among);
    for await (const { root, head, place } of this.#places(limit, order, after)) {
      if (only?.has(root) === false) continue;
      const summary = await this.#summarize(root, head);
      if (!isAsked(summary, request)) continue;
      if (last !== undefined && items.length === limit) return { items, next: last };
      items.push(summary);
      last = place;
    }
    return { items };
  }

  /** Goes through all of them, in the order of their names. `seqOf` tells the last change of a log in memory. */
  async *all(seqOf: (root: string) => number | undefined): AsyncGenerator<HeadedRoot> {
    for await (const { root, head } of this.#places(pageSize, 'name', undefined))
      yield { root, head, seq: seqOf(root), summarize: () => this.#summarize(root, head) };
  }

  async *#places(
    limit: number,
    order: HeadsRequest['order'],
    after: RootPlace | undefined,
  ): AsyncGenerator<{ root: string; head: LogHead | undefined; place: RootPlace }> {
    const isBehindLogs = after !== undefined && 'root' in after;
    if (!isBehindLogs) {
      // One more than the page has tells whether there is another.
      const heads = { order, limit: Math.max(limit + 1, fewestHeads) };
      for await (const listed of listLogs(this.#store, after === undefined ? heads : { ...heads, after })) {
        const { log: root, head } = listed;
        // A log that lost a race for a key, and that of the list itself, belong to no conversation.
        if (this.#roots.has(root)) yield { root, head, place: placeOf(listed) };
      }
    }
    const logs = new Set(await this.#store.logs());
    // Those whose files were not read yet, and those whose logs are lost.
    const others = [...this.#roots.keys()].filter((root) => !logs.has(root));
    const start = isBehindLogs ? others.indexOf(after.root) + 1 : 0;
    for (const root of others.slice(start)) yield { root, head: undefined, place: { root } };
  }
}

function isAsked(summary: RootSummary, request: RootsRequest): boolean {
  const { deleted = false, archived = 'with', tag, children = true } = request;
  if (deleted !== 'either' && summary.deleted !== deleted) return false;
  if (archived !== 'with' && (summary.archived === true) !== (archived === 'only')) return false;
  if (tag !== undefined && !summary.tags.includes(tag)) return false;
  return children || senderOf(summary.config) === undefined;
}

async function* listLogs(store: Store, request: HeadsRequest): AsyncGenerator<ListedLog> {
  for (let next = request; ;) {
    const page = await store.heads(next);
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < request.limit) return;
    next = { ...request, after: placeOf(last) };
  }
}

function placeOf({ log, head }: ListedLog): NonNullable<HeadsRequest['after']> {
  return head === undefined ? { log } : { log, time: head.time };
}

const pageSize = 500;
/** A page of a few conversations may lie between many that do not belong to it. */
const fewestHeads = 50;
