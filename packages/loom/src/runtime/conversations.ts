import type { Outcome, ParamsOf, ResultOf } from '@loom/kernel';
import { orFail } from '../words/refusal-error.ts';
import type { Loom } from './loom.ts';

/** A conversation as `root.list` tells it. */
export type ListedConversation = ResultOf<'root.list'>['items'][number];

/** The filters of a list of conversations. */
export type ConversationFilters = Omit<ParamsOf<'root.list'>, 'limit' | 'after' | 'counts' | 'ids' | 'order'>;

/** Lists the conversations, archived ones too unless asked otherwise, or the deleted ones, the last changed first. */
export async function listConversations(
  loom: Loom,
  { deleted = false, archived = 'with', ...filters }: ConversationFilters = {},
): Promise<ListedConversation[]> {
  const all = await wholeList((page) => loom.call('root.list', { ...filters, deleted, archived, ...page }));
  return all.sort(lastChangedFirst);
}

/** The ids of all conversations, deleted ones too, in the order in which they were begun. */
export function listIds(loom: Loom): Promise<string[]> {
  return wholeList((page) => loom.call('id.list', page));
}

/** The ids of the conversations that can be shown, neither deleted nor unreadable, in the order in which they were begun. */
export async function listReadable(loom: Loom): Promise<string[]> {
  const listed = (await listConversations(loom)).filter(({ damaged }) => damaged === undefined);
  const readable = new Set(listed.map(({ id }) => id));
  return (await listIds(loom)).filter((id) => readable.has(id));
}

async function wholeList<Item>(
  ask: (page: { limit: number; after?: string }) => Promise<Outcome<{ items: Item[]; next?: string }>>,
): Promise<Item[]> {
  const all: Item[] = [];
  for (let after: string | undefined; ;) {
    const { items, next } = orFail(await ask({ limit: 10_000, ...(after === undefined ? {} : { after }) }));
    all.push(...items);
    if (next === undefined) return all;
    after = next;
  }
}

/** Compares two conversations by their last change; of two with the same time the one that was begun later comes first. */
export function lastChangedFirst(one: ListedConversation, other: ListedConversation): number {
  return compare(other.updated, one.updated) || compare(other.id, one.id);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
