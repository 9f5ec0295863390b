import { z } from 'zod';

export const defaultLimit = 100;

/** The parameters of lists: the number of items, and the start. */
export const pageParams = {
  limit: z.int().min(1).max(10_000).exactOptional().describe(`At most this many. Default: ${defaultLimit}.`),
  after: z.string().exactOptional().describe('The value of next from the previous page. Default: from the beginning.'),
};

/** A part of a list, and how to get the rest. */
export function pageOf<Item extends z.ZodType>(item: Item) {
  return z.strictObject({
    items: z.array(item),
    next: z.string().exactOptional().describe('Pass it as after to get the next page. Absent on the last page.'),
  });
}

/** The part of a list behind a place in it. Keys rise along the list, so a place holds even if what stood there is gone. */
export function takePage<Item>(
  sorted: readonly Item[],
  keyOf: (item: Item) => string,
  { limit = defaultLimit, after }: { limit?: number; after?: string },
): { items: Item[]; next?: string } {
  const rest = after === undefined ? sorted : sorted.filter((item) => keyOf(item) > after);
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return last === undefined || rest.length <= limit ? { items } : { items, next: keyOf(last) };
}

/** Returns the part of a list in any order behind one of its items. If that item is gone meanwhile, the list begins again. */
export function pageBehind<Item>(
  list: readonly Item[],
  keyOf: (item: Item) => string,
  { limit = defaultLimit, after }: { limit?: number; after?: string },
): { items: Item[]; next?: string } {
  const begin = after === undefined ? 0 : list.findIndex((item) => keyOf(item) === after) + 1;
  const items = list.slice(begin, begin + limit);
  const last = items.at(-1);
  return begin + limit >= list.length || last === undefined ? { items } : { items, next: keyOf(last) };
}
