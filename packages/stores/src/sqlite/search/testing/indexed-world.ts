import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Forest } from '@loom/kernel/logs';
import { BlockTools } from '@loom/kernel/testing';
import type { Request } from '@loom/kernel';
import type { Store } from '@loom/kernel/store';
import type { BlockSearchResult } from '@loom/kernel/testing';
import { openSqliteStore } from '../../open.ts';
import { openSqliteTextIndex } from '../index/text-index.ts';
import type { SqliteTextIndex, SqliteTextIndexOptions } from '../index/text-index.ts';

/** Conversations in a database, searched with an index and without one. */
export interface IndexedWorld {
  directory: string;
  store: Store;
  forest: Forest;
  index: SqliteTextIndex;
  tools: BlockTools;
  /** A request of its own. */
  by: () => Request;
  root: () => Promise<string>;
  /** Says something below a node or root; answers the new node. */
  say: (root: string, text: string, parent?: string) => Promise<string>;
  /** What both searches find, which must be the same. */
  find: (params: Omit<Parameters<BlockTools['searchAll']>[0], 'line_numbers'>) => Promise<BlockSearchResult>;
}

/** Runs a test in a world of its own. `every` says after how many changes a snapshot is made. */
export async function withIndexedWorld(
  { every = 1, ...settings }: { every?: number } & Omit<SqliteTextIndexOptions, 'directory'>,
  work: (world: IndexedWorld) => Promise<void>,
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'loom-search-'));
  const store = await openSqliteStore({ directory });
  const index = openSqliteTextIndex({ directory, ...settings });
  try {
    await work(createWorld(directory, store, index, every));
  } finally {
    await index.close();
    await store.close();
    rmSync(directory, { recursive: true });
  }
}

function createWorld(directory: string, store: Store, index: SqliteTextIndex, every: number): IndexedWorld {
  let last = 0;
  const ids = { next: () => String((last += 1)).padStart(6, '0') };
  let time = 0;
  const clock = { now: () => (time += 1000), after: () => () => undefined };
  const forest = new Forest({ store, clock, ids, snapshotEvery: every });
  const [tools, plain] = [new BlockTools({ forest, ids, index }), new BlockTools({ forest, ids })];
  const by = (): Request => ({ agent: 'ann', id: ids.next() });
  return {
    directory,
    store,
    forest,
    index,
    tools,
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
      // Snapshots are written beside everything else.
      for (const root of await forest.roots()) await forest.log(root).release();
      let [indexed, expected] = [await tools.searchAll(search), await plain.searchAll(search)];
      // On a busy machine a search may run out of time, and says so; then it is repeated, and must come to the same in the end.
      for (let tries = 0; tries < 10 && isCutOff(indexed) !== isCutOff(expected); tries += 1) {
        [indexed, expected] = [await tools.searchAll(search), await plain.searchAll(search)];
      }
      assert.deepEqual(indexed, expected);
      return 'blocks' in indexed ? indexed : assert.fail(JSON.stringify(indexed.refusal));
    },
  };
}

function isCutOff(found: Awaited<ReturnType<BlockTools['searchAll']>>): boolean {
  return 'truncated' in found && found.truncated;
}
