import { z } from 'zod';
import { rootConfig } from '../op.ts';
import { rootId } from './ids.ts';
import { defineOperation } from './operation.ts';
import { pageOf, pageParams, takePage } from './page.ts';
import { rootAnswer, rootResult, rootValue } from './results.ts';

const config = rootConfig
  .exactOptional()
  .describe('What it is made with: systemPrompt, and whatever else callers keep.');

const createRoot = defineOperation({
  name: 'root.create',
  summary: 'Begins a conversation.',
  params: z.strictObject({ config }),
  result: rootValue,
  effect: 'changes',
  run: (engine, caller, params) => engine.forest.createRoot(caller, params.config),
});

const listRoots = defineOperation({
  name: 'root.list',
  summary: 'Lists conversations, the one that was changed last first.',
  params: z.strictObject({
    deleted: z.boolean().exactOptional().describe('Those that were deleted instead. Default: false.'),
    ...pageParams,
  }),
  result: pageOf(rootResult),
  effect: 'reads',
  run: async (engine, { roots }, { deleted = false, ...page }) => {
    const all = await engine.forest.listRoots({ deleted });
    const seen = roots === undefined ? all : all.filter(({ id }) => roots.includes(id));
    const sorted = seen.map((root) => ({ key: keyOf(root), root })).sort((a, b) => (a.key < b.key ? -1 : 1));
    const { items, ...rest } = takePage(sorted, ({ key }) => key, page);
    return { ok: true, value: { items: items.map(({ root }) => rootAnswer(root)), ...rest } };
  },
});

/** Rises from the latest change to the earliest. */
function keyOf({ updated, id }: { updated: number; id: string }): string {
  return `${String(Number.MAX_SAFE_INTEGER - updated).padStart(16, '0')} ${id}`;
}

const removeRoot = defineOperation({
  name: 'root.remove',
  summary: 'Deletes a conversation. It can be restored; bookmarks in it protect it.',
  params: z.strictObject({ root: rootId }),
  result: rootValue,
  refusals: ['bookmarked', 'turn-live'],
  effect: 'changes',
  run: (engine, caller, { root }) => engine.forest.removeRoot(caller, root),
});

const restoreRoot = defineOperation({
  name: 'root.restore',
  summary: 'Brings a deleted conversation back.',
  params: z.strictObject({ root: rootId }),
  result: rootValue,
  effect: 'changes',
  run: (engine, caller, { root }) => engine.forest.restoreRoot(caller, root),
});

export const rootOperations = [createRoot, listRoots, removeRoot, restoreRoot] as const;
