import { z } from 'zod';
import type { LoomEngine } from '../calling/engine.ts';
import { mostBookmarks } from '../../forest/root-head.ts';
import type { RootSummary } from '../../forest/root-head.ts';
import { defineOperation } from '../operation.ts';
import { pageOf, pageParams, takePage } from '../page.ts';
import { eachRoot } from './each-root.ts';
import { aboutRoot, rootWords } from './root-words.ts';

const bookmark = z.strictObject({ ...rootWords, node: z.string(), title: z.string().describe('May be empty.') });

const listBookmarks = defineOperation({
  name: 'bookmark.list',
  summary: 'Lists the bookmarks of all conversations, ordered by node id.',
  params: () => z.strictObject(pageParams),
  result: () => pageOf(bookmark),
  effect: 'reads',
  run: async (engine, caller, page) => {
    const found: z.infer<typeof bookmark>[] = [];
    for await (const root of eachRoot(engine, caller)) {
      const bookmarks = await bookmarksOf(engine, root);
      found.push(...bookmarks.map((each) => ({ ...aboutRoot(root), ...each })));
    }
    found.sort((one, other) => (one.node < other.node ? -1 : 1));
    return { ok: true, value: takePage(found, ({ node }) => node, page) };
  },
});

/** A list shows the last ones only; where there may be more, the conversation knows them. */
async function bookmarksOf({ forest }: LoomEngine, { id, bookmarks }: RootSummary): Promise<RootSummary['bookmarks']> {
  const state = bookmarks.length < mostBookmarks ? undefined : await forest.stateUnlessDamaged(id);
  return state === undefined ? bookmarks : Array.from(state.bookmarks, ([node, title]) => ({ node, title }));
}

export const bookmarkOperations = [listBookmarks] as const;
