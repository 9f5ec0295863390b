import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findCorpus } from '@loom/blocks/testing/corpus';
import { adoptDirectory } from './adopting-store.ts';
import { readDirectory } from '@loom/node-files';
import { createMemoryStore } from '@loom/stores/memory';
import { anyCharacters } from '@loom/blocks/testing';
import * as fc from 'fast-check';
import { digestRootFiles, digestRootLog } from './root-digest.ts';
import { makeDirectory, makeForest, photograph, stillClock } from '../testing/legacy-directory.ts';

const corpus = findCorpus('loom');

test('[NA5] [NA13] [NA15] whatever JSON stands in the files, what is shown of it becomes a log that can be read', async (t) => {
  const ids = fc.constantFrom('root-1', 'root-1/a', 'b', 'root-1/b', 'root-1/c', 'a', 'z');
  const text = fc.oneof(fc.constantFrom('x', ''), anyCharacters);
  const block = fc.record(
    {
      type: fc.constant('text'),
      text,
      block_id: fc.constantFrom('root-1/@a/0', 'root-1/@importer/1', 'root-2/@a/0', 'root-1/@a/7'),
      status: fc.constantFrom('done', 'running', 'error', 'pending'),
      version: fc.nat(9),
      agent: fc.constantFrom('a', 'p:m'),
    },
    { requiredKeys: ['type', 'text'] },
  );
  const content = fc.oneof(text, fc.array(block, { maxLength: 3 }));
  const message = fc.oneof(
    { weight: 4, arbitrary: fc.record({ role: fc.constantFrom('user', 'assistant'), content }) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
  const metadata = fc.record(
    {
      timestamp: fc.oneof(fc.constantFrom('2025-07-01T00:00:00.000Z', '2025-07-02'), fc.jsonValue()),
      source_info: fc.oneof(fc.constantFrom({ type: 'user' }, { type: 'split' }), fc.jsonValue()),
      format: fc.constantFrom(1, 1, 2, '1'),
      seq: fc.nat(),
      tags: fc.oneof(fc.constant(['t', 't']), fc.jsonValue()),
      title: fc.jsonValue(),
      deleted: fc.constantFrom(true, false, 'no'),
      exclude: fc.oneof(fc.constant(['root-1/@a/0']), fc.jsonValue()),
      custom_data: fc.oneof(fc.constant({ loom_legacy: 1 }), fc.jsonValue()),
      odd: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  const node = fc.record({ id: ids, parent_id: ids, child_ids: fc.array(ids), message, metadata });
  const config = fc.dictionary(fc.constantFrom('systemPrompt', 'model', 'loom_legacy', '__proto__'), fc.jsonValue());
  const own = fc.option(
    fc.record({
      config,
      bookmarks: fc.array(fc.record({ node: ids, title: fc.string() })),
      counters: fc.record({ node: fc.nat(), blocks: fc.dictionary(fc.constantFrom('a', 'p:m'), fc.nat()) }),
      format: fc.constantFrom(1, 1, 2, 'x'),
    }),
  );
  const list = fc.array(fc.record({ id: ids, child_ids: fc.array(ids), config }), { maxLength: 2 });
  let loaded = 0;
  await fc.assert(
    fc.asyncProperty(fc.tuple(node, node, node), list, own, async (nodes, roots, rootFile) => {
      const directory = makeDirectory(t, { 'roots.json': roots });
      mkdirSync(join(directory, 'root-1/nodes'), { recursive: true });
      for (const [index, name] of ['a', 'b', 'c'].entries()) {
        writeFileSync(join(directory, `root-1/nodes/${name}.json`), JSON.stringify(nodes[index]));
      }
      if (rootFile !== null) writeFileSync(join(directory, 'root-1/root.json'), JSON.stringify(rootFile));
      const store = createMemoryStore();
      await adoptDirectory({ store, directory, clock: stillClock });
      const forest = makeForest(store);
      const read = (await readDirectory(directory)).roots.filter(({ id }) => !id.includes('/'));
      assert.deepEqual((await forest.roots()).toSorted(), read.map(({ id }) => id).toSorted());
      for (const root of read) {
        const state = await forest.log(root.id).state();
        assert.deepEqual(digestRootLog(state), digestRootFiles(root));
        loaded += state.nodes.size;
      }
    }),
    { numRuns: 60 },
  );
  assert.ok(loaded > 20);
});

test(
  '[NA17] every directory of the corpus is adopted as it is, verified, and unchanged',
  { skip: corpus.found ? false : corpus.reason },
  async () => {
    const home = corpus.found ? corpus.directory : '';
    const before = photograph(home);
    let count = 0;
    for (const part of ['generated', 'test-fixtures']) {
      for (const name of readdirSync(join(home, part))) {
        const directory = join(home, part, name);
        const store = createMemoryStore();
        await adoptDirectory({ store, directory, clock: stillClock });
        const { roots } = await readDirectory(directory);
        const forest = makeForest(store);
        assert.deepEqual(
          await forest.roots(),
          roots.map(({ id }) => id),
          name,
        );
        for (const root of roots) {
          const state = await forest.log(root.id).state();
          const digest = digestRootLog(state);
          assert.deepEqual(digest, digestRootFiles(root), `${name}/${root.id}`);
          for (const { id } of root.nodes) assert.ok(state.nodes.has(id), id);
          count += digest.nodes;
        }
      }
    }
    assert.equal(count, 92);
    assert.deepEqual(photograph(home), before);
  },
);
