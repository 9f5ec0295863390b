import { z } from 'zod';
import { defineOperation } from '../operation.ts';
import { pageOf, pageParams, takePage } from '../page.ts';
import { eachRoot } from './each-root.ts';

const listTags = defineOperation({
  name: 'tag.list',
  summary:
    'Lists the tags in use, with the number of conversations that have each. root.list finds the conversations with a tag.',
  params: () => z.strictObject(pageParams),
  result: () =>
    pageOf(z.strictObject({ tag: z.string(), roots: z.int().describe('The number of conversations with this tag.') })),
  effect: 'reads',
  run: async (engine, caller, page) => {
    const counts = new Map<string, number>();
    for await (const { tags } of eachRoot(engine, caller)) {
      for (const tag of tags) counts.set(tag, (counts.get(tag) ?? 0) + 1);
    }
    const sorted = Array.from(counts, ([tag, roots]) => ({ tag, roots })).sort((one, other) =>
      one.tag < other.tag ? -1 : 1,
    );
    return { ok: true, value: takePage(sorted, ({ tag }) => tag, page) };
  },
});

export const tagOperations = [listTags] as const;
