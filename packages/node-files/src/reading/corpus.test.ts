import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { renderMessageAsMarkdown } from '@loom/blocks';
import { findCorpus } from '@loom/blocks/testing/corpus';
import { findNodesOrThrow, readDirectory } from '@loom/node-files';
import { importRoot } from '../adoption/import-root.ts';
import { verifyRoot } from '../adoption/root-digest.ts';
import type { LegacyRoot } from './read-directory.ts';
import { createMemoryStore } from '@loom/stores/memory';
import { makeForest, photograph } from '../testing/legacy-directory.ts';

const corpus = findCorpus('loom');
const options = { skip: corpus.found ? false : corpus.reason };
const home = corpus.found ? corpus.directory : '';

/** By directory: the number of nodes of each root, and the problems. */
const generated: Record<string, { nodes: number[]; problems: string[] }> = {
  'gen1-2025-04-08-uuid-ids': {
    nodes: [5],
    problems: ['parent-repaired a0cd3714-583b-45ca-beec-5d3fa2f4f9cf.json'],
  },
  'gen2-2025-04-11-nonunique-node-ids': { nodes: [4, 2], problems: [] },
  'gen3-2025-04-18-root-config-provider-model': { nodes: [5, 2], problems: ['parent-repaired node-5.json'] },
  'gen4-2025-07-28-legacy-tool_calls': { nodes: [12, 2], problems: [] },
  'gen5-2025-09-20-v2-blocks': { nodes: [14, 1], problems: [] },
  'gen6-mixed-legacy-then-v2': { nodes: [26, 2, 1], problems: [] },
};

/** By the number of the original test: the number of readable nodes, and the code of the bad one. */
const fixtures: Record<string, [number, string?]> = {
  '01': [1],
  '02': [1],
  '03': [1],
  '04': [1],
  '05': [4],
  '06': [0],
  '07': [2],
  '08': [1],
  '09': [1],
  '10': [0, 'node-arguments-invalid'],
  '11': [0, 'node-message-invalid'],
  '12': [1],
  '13': [0],
  '14': [0],
  '15': [0, 'node-json-invalid'],
  '16': [1, 'node-arguments-invalid'],
  '17': [0, 'node-message-invalid'],
  '18': [0, 'node-message-invalid'],
  '19': [0, 'node-message-invalid'],
  '20': [0, 'node-message-invalid'],
  '21': [0, 'node-message-invalid'],
  '22': [1, 'node-message-invalid'],
  '23': [1],
};

test('[NF24] every generated directory of the corpus opens with its conversations', options, async () => {
  assert.deepEqual(readdirSync(join(home, 'generated')).toSorted(), Object.keys(generated));
  for (const [name, expected] of Object.entries(generated)) {
    const { roots, problems } = await readDirectory(join(home, 'generated', name));
    assert.deepEqual(
      {
        nodes: roots.map(({ nodes }) => nodes.length),
        problems: problems.map(({ code, file }) => `${code} ${file.split('/').at(-1)}`),
      },
      expected,
    );
  }
});

test('[NF24] the conversations of the corpus say what was said in them', options, async () => {
  const read = async (name: string): Promise<LegacyRoot[]> =>
    (await readDirectory(join(home, 'generated', name))).roots;
  const [first] = await read('gen1-2025-04-08-uuid-ids');
  assert.ok(first !== undefined);
  assert.deepEqual(
    first.nodes.map(({ message, continues }) => [renderMessageAsMarkdown(message), continues]),
    [
      ['Hello loom', false],
      ['reply 1 to Hello loom', false],
      ['And ', false],
      ['again', true],
      ['reply 2 to And again', false],
    ],
  );
  const sources = first.nodes.flatMap(({ source }) => (source.type === 'model' ? [source.model_name] : []));
  assert.deepEqual(sources, ['claude-3-opus-20240229', 'claude-3-opus-20240229']);

  const third = (await read('gen3-2025-04-18-root-config-provider-model'))[0];
  assert.deepEqual(
    third?.nodes.map(({ id, parent, continues }) => [parent, id, continues]),
    [
      ['root-1', 'root-1/node-1', false],
      ['root-1/node-1', 'root-1/node-2', false],
      ['root-1/node-2', 'root-1/node-5', true],
      ['root-1/node-5', 'root-1/node-4', false],
      ['root-1/node-1', 'root-1/node-3', false],
    ],
  );

  const fourth = (await read('gen4-2025-07-28-legacy-tool_calls'))[0];
  const call = fourth?.nodes.find(({ id }) => id === 'root-1/node-2');
  assert.deepEqual(
    call?.message.content.map((block) =>
      block.type === 'tool-use' ? [block.id, block.name, block.parameters] : block,
    ),
    [
      ['call_a1', 'current_date', {}],
      ['call_a2', 'no_such_tool', { x: 1 }],
    ],
  );
  assert.equal(fourth?.nodes.find(({ id }) => id === 'root-1/node-7')?.continues, true);
  assert.equal(fourth?.nodes.find(({ id }) => id === 'root-1/node-12')?.continues, false);

  const fifth = (await read('gen5-2025-09-20-v2-blocks'))[1]?.nodes[0];
  assert.deepEqual([fifth?.tags, fifth?.customData['k']], [['x', 'y'], { nested: [1, 2] }]);
});

test(
  '[NF24] the directories of the original tests give the nodes and the faults that those tests wanted',
  options,
  async () => {
    const folders = readdirSync(join(home, 'test-fixtures')).toSorted();
    assert.deepEqual(
      folders.map((folder) => folder.slice(0, 2)),
      Object.keys(fixtures).toSorted(),
    );
    for (const folder of folders) {
      const [nodes, code] = fixtures[folder.slice(0, 2)] ?? [0];
      const directory = join(home, 'test-fixtures', folder);
      const read = await readDirectory(directory);
      assert.equal(read.roots.flatMap((root) => root.nodes).length, nodes, folder);
      const bad = read.problems.filter(({ effect }) => effect === 'unreadable').map((problem) => problem.code);
      assert.deepEqual(bad, code === undefined ? [] : [code], folder);
      if (code === undefined) assert.equal((await findNodesOrThrow(directory)).length, nodes);
      else await assert.rejects(findNodesOrThrow(directory), { code });
    }
  },
);

test(
  '[NF24] every root of the corpus is imported and verified, and the corpus is untouched, byte for byte',
  options,
  async () => {
    const before = photograph(home);
    let count = 0;
    for (const part of ['generated', 'test-fixtures']) {
      for (const name of readdirSync(join(home, part))) {
        const store = createMemoryStore();
        for (const root of (await readDirectory(join(home, part, name))).roots) {
          const imported = await importRoot(makeForest(store), { agent: 'importer', id: name }, root);
          assert.ok(imported.ok);
          const verification = await verifyRoot(makeForest(store), imported.value.root, root);
          assert.ok(verification.ok, `${name}/${root.id}`);
          count += verification.digest.nodes;
        }
      }
    }
    assert.equal(count, 92);
    assert.deepEqual(photograph(home), before);
  },
);
