import assert from 'node:assert/strict';
import { Forest } from '@loom/kernel/logs';
import { BlockTools } from '@loom/kernel/testing';
import type { Request } from '@loom/kernel';
import type { Store } from '@loom/kernel/store';
import type { ThreadedTextIndex } from '../threaded-text-index.ts';

/** Conversations in a store, searched with an index and without one. */
export interface IndexedWorld {
  store: Store;
  forest: Forest;
  index: ThreadedTextIndex;
  tools: BlockTools;
  /** The same without the index. */
  plain: BlockTools;
  /** Returns a new request. */
  by: () => Request;
  root: () => Promise<string>;
  /** Adds a message below a node or root; returns the new node. */
  say: (root: string, text: string, parent?: string) => Promise<string>;
  /** Returns the results of both searches, which must be the same. */
  find: (params: Omit<SearchParams, 'line_numbers' | 'from'>) => Promise<Omit<SearchPage, 'next' | 'searched'>>;
}

/** Makes a forest over a store, searched with its index and without. `every`: the number of changes after which a snapshot is made. */
export function createWorld(store: Store, index: ThreadedTextIndex, every: number): IndexedWorld {
  let last = 0;
  const ids = { next: () => String((last += 1)).padStart(6, '0') };
  let time = 0;
  const clock = { now: () => (time += 1000), after: () => () => undefined };
  const forest = new Forest({ store, clock, ids, snapshotEvery: every });
  const [tools, plain] = [new BlockTools({ forest, ids, index }), new BlockTools({ forest, ids })];
  const by = (): Request => ({ agent: 'ann', id: ids.next() });
  return {
    store,
    forest,
    index,
    tools,
    plain,
    by,
    root: async () => {
      const created = await forest.createRoot(by());
      return created.ok ? created.value.root : assert.fail(JSON.stringify(created.refusal));
    },
    say: async (root, text, parent = root) => {
      const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text }] as const }];
      const said = await forest.append(by(), root, {
        parent,
        messages: messages.map(({ content, role }) => ({ role, content: [...content] })),
      });
      return said.ok
        ? (said.value.nodes.at(-1) ?? assert.fail('nothing was said'))
        : assert.fail(JSON.stringify(said.refusal));
    },
    find: async (params) => {
      const search = { ...params, line_numbers: false };
      const [indexed, expected] = [await searchToTheEnd(tools, search), await searchToTheEnd(plain, search)];
      assert.deepEqual(indexed, expected);
      return indexed;
    },
  };
}

type SearchParams = Parameters<BlockTools['searchAll']>[0];
type SearchPage = Exclude<Awaited<ReturnType<BlockTools['searchAll']>>, { refusal: unknown }>;

/** Returns everything that a search finds, page by page; a search with a limit of blocks is asked once. */
export async function searchToTheEnd(
  tools: BlockTools,
  params: SearchParams,
): Promise<Omit<SearchPage, 'next' | 'searched'>> {
  const pages: SearchPage[] = [];
  let from: string | undefined;
  do {
    const page = await tools.searchAll(from === undefined ? params : { ...params, from });
    if ('refusal' in page) return assert.fail(JSON.stringify(page.refusal));
    pages.push(page);
    from = page.next;
  } while (from !== undefined && params.max_blocks === undefined);
  const counts = new Map<string, number>();
  for (const { root, blocks } of pages.flatMap(({ conversations }) => conversations))
    counts.set(root, (counts.get(root) ?? 0) + blocks);
  return {
    // The end of a page depends on the time that a search has.
    blocks: pages.flatMap(({ blocks }) => blocks).sort((a, b) => (a.block_id < b.block_id ? -1 : 1)),
    conversations: [...counts].map(([root, blocks]) => ({ root, blocks })).sort((a, b) => (a.root < b.root ? -1 : 1)),
    truncated: pages.at(-1)?.truncated ?? false,
    complete: pages.at(-1)?.complete ?? false,
  };
}
