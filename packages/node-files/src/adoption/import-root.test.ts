import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { Forest } from '@loom/kernel/logs';
import { digestLegacyRoot, verifyRoot } from './root-digest.ts';
import { importRoot } from './import-root.ts';
import { readDirectory } from '@loom/node-files';
import type { LegacyNode } from '../reading/node-links.ts';
import type { LegacyRoot } from '../reading/read-directory.ts';
import { createMemoryStore, withFaults } from '@loom/stores/memory';
import { makeDirectory, makeForest, nodeOf, rootOf } from '../testing/legacy-directory.ts';

const request = { agent: 'importer', id: 'import-1' };

const usage = (output_tokens: number) => ({
  source_info: {
    type: 'model',
    provider: 'p',
    model_name: 'm',
    parameters: {},
    usage: { input_tokens: 1, output_tokens },
  },
});

/** A root with branches, equal siblings, a result without a call, a deleted node and data of all kinds. */
async function readSample(t: TestContext, root: Record<string, unknown> = {}): Promise<LegacyRoot> {
  const same = { role: 'assistant', content: 'The same.' };
  const directory = makeDirectory(t, {
    'roots.json': [rootOf('root-1', ['root-1/node-1'], root)],
    'root-1/nodes/node-1.json': nodeOf('root-1/node-1', 'root-1', ['root-1/node-4', 'root-1/node-3', 'root-1/node-2'], {
      metadata: { tags: ['a'], title: 'T', custom_data: { k: 1 } },
    }),
    'root-1/nodes/node-2.json': nodeOf('root-1/node-2', 'root-1/node-1', [], { message: same, metadata: usage(2) }),
    'root-1/nodes/node-3.json': nodeOf('root-1/node-3', 'root-1/node-1', ['root-1/node-5'], {
      message: same,
      metadata: usage(3),
    }),
    'root-1/nodes/node-4.json': nodeOf('root-1/node-4', 'root-1/node-1', ['root-1/node-6'], {
      metadata: { deleted: true, split_source: 'root-1/node-6' },
    }),
    'root-1/nodes/node-5.json': nodeOf('root-1/node-5', 'root-1/node-3', [], {
      message: { role: 'tool', content: '', tool_call_id: 'nobody' },
      metadata: { source_info: { type: 'tool_result', tool_name: 'f' } },
    }),
    'root-1/nodes/node-6.json': nodeOf('root-1/node-6', 'root-1/node-4'),
  });
  const { roots, problems } = await readDirectory(directory);
  assert.deepEqual(problems, []);
  const [read] = roots;
  assert.ok(read !== undefined);
  return read;
}

async function importInto(forest: Forest, root: LegacyRoot) {
  const outcome = await importRoot(forest, request, root);
  assert.ok(outcome.ok);
  return outcome.value;
}

test('[NF21] an imported root has every node, branch and order; equal siblings stay two, each with its usage', async (t) => {
  const sample = await readSample(t);
  const forest = makeForest();
  const { root, nodes } = await importInto(forest, sample);
  const state = await forest.log(root).state();
  assert.deepEqual(
    [...state.nodes.values()].map(({ parent, id }) => `${parent} > ${id}`),
    sample.nodes.map(({ parent, id }) => `${nodes.get(parent) ?? root} > ${nodes.get(id)}`),
  );
  const top = nodes.get('root-1/node-1') ?? '';
  assert.deepEqual(
    state.children.get(top),
    ['node-4', 'node-3', 'node-2'].map((name) => nodes.get(`root-1/${name}`)),
  );
  const spent = ['node-3', 'node-2'].map((name) => {
    const source = state.nodes.get(nodes.get(`root-1/${name}`) ?? '')?.source;
    return source?.type === 'model' ? source.usage?.output_tokens : undefined;
  });
  assert.deepEqual(spent, [3, 2]);
});

test('[NF21] config, tags, title, custom data and deletions of nodes and of the root are imported', async (t) => {
  const config = { systemPrompt: 'Test', loom_legacy: 1 };
  const sample = await readSample(t, { deleted: true, color: 'red', config });
  const forest = makeForest();
  const { root, nodes } = await importInto(forest, sample);
  const state = await forest.log(root).state();
  assert.ok(state.deleted);
  assert.deepEqual(state.config, {
    systemPrompt: 'Test',
    loom_legacy: {
      id: 'root-1',
      createdAt: '2025-07-01T00:00:00.000Z',
      color: 'red',
      config: { loom_legacy: 1 },
    },
  });
  const first = state.nodes.get(nodes.get('root-1/node-1') ?? '');
  assert.deepEqual([first?.tags, first?.title, first?.custom_data?.['k']], [['a'], 'T', 1]);
  assert.equal(state.nodes.get(nodes.get('root-1/node-4') ?? '')?.deleted, true);
  assert.equal(state.nodes.get(nodes.get('root-1/node-6') ?? '')?.continues, true);
  assert.deepEqual(await importInto(forest, sample), { root, nodes });
});

test('[NF22] repeating an import changes nothing, and after a failure of any write it goes on where it was', async (t) => {
  // Enough nodes that they are not written all at once.
  const sample = await makeChain(t, 501);
  const writes = await countWrites(sample);
  assert.ok(writes >= 4);
  for (const fault of ['fail-before', 'fail-after'] as const) {
    for (let failing = 1; failing <= writes; failing += 1) {
      const store = createMemoryStore();
      const failed = withFaults(store.share(), ({ number }) => (number === failing ? fault : undefined));
      await assert.rejects(importRoot(makeForest(failed), request, sample));
      const { root } = await importInto(makeForest(store), sample);
      const forest = makeForest(store);
      const verification = await verifyRoot(forest, root, sample);
      assert.ok(verification.ok, `${fault} ${failing}`);
      const { seq } = await forest.log(root).state();
      assert.equal((await importInto(forest, sample)).root, root);
      assert.equal((await forest.log(root).state()).seq, seq);
      assert.deepEqual(await forest.roots(), [root]);
    }
  }
});

async function countWrites(root: LegacyRoot): Promise<number> {
  let writes = 0;
  const counting = withFaults(createMemoryStore(), ({ number }) => {
    writes = number;
    return undefined;
  });
  await importInto(makeForest(counting), root);
  return writes;
}

/** Returns a root whose messages all follow one another. */
async function makeChain(t: TestContext, length: number): Promise<LegacyRoot> {
  const [first] = (await readSample(t)).nodes;
  assert.ok(first !== undefined);
  const nodes = Array.from({ length }, (_, index) => ({
    ...first,
    id: `root-1/node-${index}`,
    parent: index === 0 ? 'root-1' : `root-1/node-${index - 1}`,
  }));
  return { id: 'root-1', config: {}, childIds: [], deleted: false, extra: {}, nodes };
}

test('[NF22] nodes that came later are added by the next import', async (t) => {
  const sample = await readSample(t);
  const forest = makeForest();
  const before = await importInto(forest, { ...sample, nodes: sample.nodes.slice(0, 3) });
  const after = await importInto(forest, sample);
  assert.equal(after.root, before.root);
  for (const [old, id] of before.nodes) assert.equal(after.nodes.get(old), id);
  const verification = await verifyRoot(forest, after.root, sample);
  assert.ok(verification.ok);
});

test('[NF22] a node whose parent is missing is refused', async (t) => {
  const sample = await readSample(t);
  const outcome = await importRoot(makeForest(), request, { ...sample, nodes: sample.nodes.slice(1) });
  assert.ok(!outcome.ok);
  assert.equal(outcome.refusal.reason, 'node-not-found');
});

test('[NF23] a verified root is equal to the directory’s, and any difference shows', async (t) => {
  const sample = await readSample(t);
  const forest = makeForest();
  const { root } = await importInto(forest, sample);
  const verification = await verifyRoot(forest, root, sample);
  assert.ok(verification.ok);
  assert.deepEqual([verification.digest.nodes, verification.digest.leaves], [6, 3]);

  const change = (id: string, fields: Partial<LegacyNode>): LegacyRoot => ({
    ...sample,
    nodes: sample.nodes.map((node) => (node.id === `root-1/${id}` ? { ...node, ...fields } : node)),
  });
  const said: [string, LegacyRoot][] = [
    [
      'a text',
      change('node-6', { message: { role: 'user', content: [{ type: 'text', text: 'I am root-1/node-6 ' }] } }),
    ],
    [
      'a role',
      change('node-6', { message: { role: 'assistant', content: [{ type: 'text', text: 'I am root-1/node-6' }] } }),
    ],
    ['a call', change('node-5', { message: { role: 'tool', content: [], tool_call_id: 'somebody' } })],
    ['a parent', change('node-5', { parent: 'root-1/node-1' })],
    ['a missing node', { ...sample, nodes: sample.nodes.filter(({ id }) => id !== 'root-1/node-6') }],
    ['an order', { ...sample, nodes: [...sample.nodes.slice(0, 1), ...sample.nodes.slice(1).toReversed()] }],
  ];
  const beside: [string, LegacyRoot][] = [
    ['a tag', change('node-2', { tags: ['b'] })],
    ['a source', change('node-2', { source: { type: 'user' } })],
    ['custom data', change('node-2', { customData: {} })],
    ['a deletion', change('node-2', { deleted: true })],
    ['a seam', change('node-2', { continues: true })],
    ['the root’s deletion', { ...sample, deleted: true }],
    ['the prompt', { ...sample, config: {} }],
  ];
  for (const [what, other] of said) {
    const outcome = await verifyRoot(forest, root, other);
    assert.ok(!outcome.ok, what);
    assert.notEqual(outcome.expected.messages, outcome.actual.messages, what);
  }
  for (const [what, other] of beside) {
    const outcome = await verifyRoot(forest, root, other);
    assert.ok(!outcome.ok, what);
    assert.equal(outcome.expected.messages, outcome.actual.messages, what);
  }
});

test('[NF23] a chain of thousands is read, imported and verified without deep recursion', async (t) => {
  const root = await makeChain(t, 3000);
  const forest = makeForest();
  const imported = await importInto(forest, root);
  const verification = await verifyRoot(forest, imported.root, root);
  assert.ok(verification.ok);
  assert.deepEqual([digestLegacyRoot(root).nodes, digestLegacyRoot(root).leaves], [3000, 1]);
});
