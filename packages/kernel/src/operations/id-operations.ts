import { z } from 'zod';
import { resolveId } from '../forest/reading/resolution.ts';
import { forestDoors } from './doors.ts';
import { rootId } from '../forest/ids.ts';
import { defineOperation } from './operation.ts';
import { pageOf, pageParams } from './page.ts';

const resolve = defineOperation({
  name: 'id.resolve',
  summary: 'Finds the conversation or node that an id, or the end of one, refers to: node-3 or x2sv/node-3.',
  params: () =>
    z.strictObject({
      text: z.string().describe('The id, or its end.'),
      root: rootId.exactOptional().describe('The conversation to search first. Default: none.'),
    }),
  result: () =>
    z.strictObject({
      root: z.string(),
      node: z.string().describe('The node, or the conversation itself if the id refers to one.'),
    }),
  refusals: ['node-not-found', 'ambiguous-id'],
  effect: 'reads',
  doors: forestDoors,
  run: ({ forest }, { roots: own }, { text, root }) => {
    const roots = async (): Promise<string[]> => {
      const all = await forest.roots();
      return own === undefined ? all : all.filter((id) => own.includes(id));
    };
    const { damaged } = forest;
    return resolveId({ roots, damaged, findPlace: (...given) => forest.findPlace(...given) }, text, root);
  },
});

const listIds = defineOperation({
  name: 'id.list',
  summary: 'Lists the ids of all conversations, including deleted and unreadable ones, in the order they were started.',
  params: () => z.strictObject(pageParams),
  result: () => pageOf(z.string()),
  effect: 'reads',
  run: async ({ forest }, { roots: own }, { limit = 100, after }) => {
    const all = (await forest.roots()).filter((id) => own === undefined || own.includes(id));
    // No id is ever taken from the list, so the place of one holds.
    const begin = after === undefined ? 0 : all.indexOf(after) + 1;
    const items = all.slice(begin, begin + limit);
    const last = items.at(-1);
    const isEnd = last === undefined || begin + limit >= all.length;
    return { ok: true, value: isEnd ? { items } : { items, next: last } };
  },
});

export const idOperations = [resolve, listIds] as const;
