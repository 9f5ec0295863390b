import { z } from 'zod';
import { firstWords } from '../../forest/reading/first-words.ts';
import { progressOf } from '../../forest/reading/progress.ts';
import { subtree } from '../../state/tree/queries.ts';
import { isVisible } from '../../state/tree/tree.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { RootState } from '../../state/root-state.ts';
import { placeId } from '../../forest/ids.ts';
import { defineOperation } from '../operation.ts';
import { pageBehind, pageOf, pageParams } from '../page.ts';
import { readPlace } from '../read-root.ts';
import { once } from '../../once.ts';

/** The length of the text that an outline shows of each message, in UTF-16 units. */
const longestWords = 80;

const row = once(() =>
  z.strictObject({
    id: z.string(),
    parent: z.string(),
    role: z.enum(['user', 'assistant', 'tool']),
    words: z
      .string()
      .describe(`Its title, or how it begins, in at most ${longestWords} characters; calls are shown by name.`),
    time: z.string().describe('When it was added, as ISO 8601 in UTC.'),
    children: z.int().describe('The number of nodes directly below it.'),
    model: z.string().exactOptional().describe('The model that wrote it, as <provider>:<model>.'),
    bookmark: z.string().exactOptional().describe('The title of its bookmark.'),
    tags: z.array(z.string()).readonly().exactOptional(),
    state: z
      .enum(['running', 'waiting', 'error'])
      .exactOptional()
      .describe('The node is being written, waits for a person, or failed.'),
  }),
);

const getOutline = defineOperation({
  name: 'tree.outline',
  summary:
    'Outlines a conversation, or the part below a node, with one line per message: parents before children, branches in order, a page at a time.',
  params: () => z.strictObject({ top: placeId.describe('A conversation or a node.'), ...pageParams }),
  result: () => pageOf(row()),
  refusals: ['node-not-found'],
  effect: 'reads',
  run: (engine, _caller, { top, ...page }) =>
    readPlace(engine, top, (state) => {
      if (!isVisible(state, top)) return undefined;
      const { items, ...rest } = pageBehind(subtree(state, top), ({ id }) => id, page);
      return { items: items.map((node) => rowOf(state, node)), ...rest };
    }),
});

function rowOf(state: RootState, node: NodeState): z.infer<ReturnType<typeof row>> {
  const { id, parent, role, source, time, title, tags } = node;
  const bookmark = state.bookmarks.get(id);
  const progress = progressOf(node);
  return {
    id,
    parent,
    role,
    words: (title ?? firstWords(node, longestWords)).slice(0, longestWords).toWellFormed(),
    time: new Date(time).toISOString(),
    children: state.index.liveChildCount(id),
    ...(source.type === 'model' && source.provider !== '' ? { model: `${source.provider}:${source.model_name}` } : {}),
    ...(bookmark === undefined ? {} : { bookmark }),
    ...(tags === undefined ? {} : { tags }),
    ...(progress === undefined ? {} : { state: progress }),
  };
}

export const outlineOperations = [getOutline] as const;
