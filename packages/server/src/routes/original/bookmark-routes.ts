import type { ResultOf } from '@loom/kernel';
import { z } from 'zod';
import { answerJson } from '../../answers/answer.ts';
import type { Route } from '../route.ts';
import { take } from './original-request.ts';
import type { Ask, MakeRoute } from './original-request.ts';

type Bookmark = ResultOf<'bookmark.list'>['items'][number];

/** Bookmarks, which the original knew by their titles: each title once. */
export function bookmarkRoutes(route: MakeRoute): Route[] {
  return [
    route('GET', '/api/bookmarks', async ({ ask }) => {
      const bookmarks: unknown[] = [];
      for (const bookmark of await listBookmarks(ask)) bookmarks.push(await asBookmark(ask, bookmark));
      return answerJson(bookmarks);
    }),
    route('POST', '/api/bookmarks', async ({ ask, body }) => {
      const { title, nodeId } = take(saved, body, 'It has a title, a nodeId and a rootId.');
      const others = (await listBookmarks(ask)).filter(({ node }) => node !== nodeId);
      await ask('node.bookmark', { node: nodeId, title });
      await removeTitled(ask, others, title);
      const { root_id: root } = await ask('node.get', { node: nodeId });
      return answerJson(await asBookmark(ask, { node: nodeId, root, title }));
    }),
    route('DELETE', '/api/bookmarks/:id', async ({ ask, id }) => {
      await removeTitled(ask, await listBookmarks(ask), id);
      return answerJson({ success: true });
    }),
  ];
}

const saved = z.looseObject({ title: z.string().min(1).max(1000), nodeId: z.string().min(1) });

async function removeTitled(ask: Ask, bookmarks: readonly Bookmark[], title: string): Promise<void> {
  for (const bookmark of bookmarks) {
    if (bookmark.title === title) await ask('node.bookmark', { node: bookmark.node, title: null }, bookmark.node);
  }
}

async function listBookmarks(ask: Ask): Promise<Bookmark[]> {
  const found: Bookmark[] = [];
  for (let after: string | undefined; ;) {
    const { items, next } = await ask('bookmark.list', { limit: 1000, ...(after === undefined ? {} : { after }) });
    found.push(...items);
    if (next === undefined) return found;
    after = next;
  }
}

/** Loom does not keep when a bookmark was made; the time of its node is one that clients can sort by. */
async function asBookmark(
  ask: Ask,
  { node, root, title }: Pick<Bookmark, 'node' | 'root' | 'title'>,
): Promise<Record<string, unknown>> {
  const { timestamp } = (await ask('node.get', { node })).metadata;
  return { title, nodeId: node, rootId: root, createdAt: timestamp, updatedAt: timestamp };
}
