import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readDirectory, resolveNode } from '@loom/node-files';
import type { LegacyNode } from './node-links.ts';
import { makeDirectory, nodeOf, photograph, rootOf } from '../testing/legacy-directory.ts';

const shape = (nodes: readonly LegacyNode[]) => nodes.map(({ id, parent }) => `${parent} > ${id}`);
const codes = (problems: readonly { code: string; file: string }[]) =>
  problems.map(({ code, file }) => `${code} ${file.split('/').at(-1)}`).toSorted();

test('[NF1] reading changes no file, however damaged the directory is', async (t) => {
  const directory = makeDirectory(t, {
    'roots.json': '',
    'config.toml': 'currentNodeId = "root-1/node-1"\n',
    'root-1/nodes/node-1.json': nodeOf('root-1/node-1', 'root-9'),
    'root-1/nodes/node-2.json': '{ torn',
    'root-1/nodes/node-3.json.tmp': '',
  });
  const before = photograph(directory);
  const { problems } = await readDirectory(directory);
  assert.ok(problems.length >= 4);
  assert.deepEqual(photograph(directory), before);
});

test('[NF2] messages of all generations lie side by side and are read as blocks', async (t) => {
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '' } };
  const messages: unknown[] = [
    { role: 'user', content: ' kept as it is \n' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', content: '', tool_call_id: 'c' },
    { role: 'assistant', content: [{ type: 'text', text: 'block' }] },
  ];
  const files = messages.map((message, index) => {
    const [id, parent] = [`root-1/node-${index + 1}`, index === 0 ? 'root-1' : `root-1/node-${index}`];
    const children = index === 3 ? [] : [`root-1/node-${index + 2}`];
    return [`root-1/nodes/node-${index + 1}.json`, nodeOf(id, parent, children, { message })] as const;
  });
  const directory = makeDirectory(t, {
    'roots.json': [rootOf('root-1', ['root-1/node-1'])],
    ...Object.fromEntries(files),
  });
  const { roots, problems } = await readDirectory(directory);
  assert.deepEqual(
    roots[0]?.nodes.map(({ message }) => message),
    [
      { role: 'user', content: [{ type: 'text', text: ' kept as it is \n' }] },
      { role: 'assistant', content: [{ type: 'tool-use', id: 'c', name: 'f', parameters: {}, arguments: '' }] },
      { role: 'tool', content: [], tool_call_id: 'c' },
      { role: 'assistant', content: [{ type: 'text', text: 'block' }] },
    ],
  );
  assert.deepEqual(problems, []);
});

test('[NF3] a node is known by folder and file; a bare id means the one in its own root, and elsewhere the only one', async (t) => {
  const bare = (root: string, name: string, parent: string, children: string[]) => ({
    ...nodeOf(`${root}/${name}`, parent, children),
    id: name,
  });
  const directory = makeDirectory(t, {
    'roots.json': [rootOf('root-1', ['node-1']), rootOf('root-2', ['node-1'])],
    'root-1/nodes/node-1.json': bare('root-1', 'node-1', 'root-1', ['node-2']),
    'root-1/nodes/node-2.json': bare('root-1', 'node-2', 'node-1', []),
    'root-2/nodes/node-1.json': bare('root-2', 'node-1', 'root-2', []),
    'root-2/nodes/copy.json': nodeOf('root-2/other', 'root-2'),
  });
  const read = await readDirectory(directory);
  assert.deepEqual(
    read.roots.map(({ nodes }) => shape(nodes)),
    [
      ['root-1 > root-1/node-1', 'root-1/node-1 > root-1/node-2'],
      ['root-2 > root-2/node-1', 'root-2 > root-2/copy'],
    ],
  );
  assert.deepEqual(codes(read.problems), ['child-list-repaired roots.json', 'id-mismatch copy.json']);
  const found = resolveNode(read, 'node-2');
  assert.ok(found.ok && found.node.id === 'root-1/node-2');
  const alias = resolveNode(read, 'root-2/other');
  assert.ok(alias.ok && alias.node.id === 'root-2/copy');
  const ambiguous = resolveNode(read, 'node-1');
  assert.ok(!ambiguous.ok && ambiguous.refusal.reason === 'ambiguous-id');
  assert.deepEqual(ambiguous.refusal.ids, ['root-1/node-1', 'root-2/node-1']);
  const missing = resolveNode(read, 'node-7');
  assert.ok(!missing.ok && missing.refusal.reason === 'node-not-found');
});

test('[NF4] the list of roots gives order, config and deletion', async (t) => {
  const directory = makeDirectory(t, {
    'roots.json': [
      rootOf('root-2', [], { deleted: true, config: { provider: 'openai', model: 'gpt-4o' }, color: 'red' }),
      rootOf('root-1', []),
    ],
  });
  const { roots, problems } = await readDirectory(directory);
  assert.deepEqual(roots, [
    {
      id: 'root-2',
      createdAt: '2025-07-01T00:00:00.000Z',
      config: { provider: 'openai', model: 'gpt-4o' },
      childIds: [],
      deleted: true,
      extra: { color: 'red' },
      nodes: [],
    },
    {
      id: 'root-1',
      createdAt: '2025-07-01T00:00:00.000Z',
      config: { systemPrompt: 'Test' },
      childIds: [],
      deleted: false,
      extra: {},
      nodes: [],
    },
  ]);
  assert.deepEqual(problems, []);
});

test('[NF5] a list that is missing, empty, torn or no list is rebuilt from the folders, oldest first', async (t) => {
  const whole = JSON.stringify([rootOf('root-1', ['root-1/node-1'])]);
  for (const list of [undefined, '', whole.slice(0, -5), '{}', 'null']) {
    const directory = makeDirectory(t, {
      ...(list === undefined ? {} : { 'roots.json': list }),
      'root-1/nodes/node-1.json': nodeOf('root-1/node-1', 'root-1', [], {
        metadata: { timestamp: '2025-07-02T00:00:00.000Z' },
      }),
      'root-10/nodes/node-1.json': nodeOf('root-10/node-1', 'root-10'),
    });
    const { roots, problems } = await readDirectory(directory);
    assert.deepEqual(
      roots.map(({ id, createdAt, nodes }) => [id, createdAt, nodes.length]),
      [
        ['root-10', '2025-07-01T00:00:00.000Z', 1],
        ['root-1', '2025-07-02T00:00:00.000Z', 1],
      ],
    );
    assert.deepEqual(codes(problems), ['roots-invalid roots.json']);
  }
  assert.deepEqual(await readDirectory(makeDirectory(t, { 'config.toml': '' })), { roots: [], problems: [] });
});

test('[NF5] entries that are wrong are reported, and those that are right are kept', async (t) => {
  const directory = makeDirectory(t, {
    'roots.json': [
      7,
      { createdAt: 'x' },
      rootOf('root-1', []),
      rootOf('root-1', [], { config: {} }),
      { id: '../root-1', config: { systemPrompt: 5 }, child_ids: ['x'], createdAt: 1, deleted: 'no' },
    ],
    'root-3/nodes/node-1.json': nodeOf('root-3/node-1', 'root-3'),
  });
  const { roots, problems } = await readDirectory(directory);
  assert.deepEqual(
    roots.map(({ id, config, nodes }) => [id, config, nodes.length]),
    [
      ['root-1', { systemPrompt: 'Test' }, 0],
      ['../root-1', {}, 0],
      ['root-3', {}, 1],
    ],
  );
  assert.deepEqual(roots[1]?.extra, { systemPrompt: 5, createdAt: 1, deleted: 'no' });
  assert.deepEqual(codes(problems), [
    ...Array.from({ length: 6 }, () => 'root-entry-invalid roots.json'),
    'root-folder-missing roots.json',
    'root-not-listed root-3',
  ]);
});

test('[NF6] backups and temporary files are left alone and reported', async (t) => {
  const directory = makeDirectory(t, {
    'roots.json': [rootOf('root-1', ['root-1/node-1'])],
    'roots.json.tmp-17': '[',
    'root-1/nodes/node-1.json': nodeOf('root-1/node-1', 'root-1'),
    'root-1/nodes/node-1.json.backup-migration-node-1753': nodeOf('root-1/node-1', 'root-1'),
    'root-1/nodes/node-1.backup-2.json': nodeOf('root-1/node-1', 'root-1'),
    'root-1/nodes/node-2.json.tmp': '{',
    'root-1/nodes/.DS_Store': 'x',
  });
  const { roots, problems } = await readDirectory(directory);
  assert.deepEqual(shape(roots[0]?.nodes ?? []), ['root-1 > root-1/node-1']);
  assert.deepEqual(codes(problems), [
    'file-ignored .DS_Store',
    'file-ignored node-1.backup-2.json',
    'file-ignored node-1.json.backup-migration-node-1753',
    'file-ignored node-2.json.tmp',
    'file-ignored roots.json.tmp-17',
  ]);
});

test('[NF7] [NF11] a right half that names its grandparent hangs below the left half that lists it, and continues it', async (t) => {
  const said = (role: string, content: string) => ({ message: { role, content } });
  const directory = makeDirectory(t, {
    'roots.json': [rootOf('root-1', ['root-1/node-1'])],
    'root-1/nodes/node-1.json': nodeOf('root-1/node-1', 'root-1', ['root-1/node-2']),
    'root-1/nodes/node-2.json': nodeOf('root-1/node-2', 'root-1/node-1', ['root-1/node-4', 'root-1/node-5'], {
      ...said('assistant', 'left'),
      metadata: { source_info: { type: 'split' } },
    }),
    'root-1/nodes/node-3.json': nodeOf('root-1/node-3', 'root-1/node-4'),
    'root-1/nodes/node-4.json': nodeOf('root-1/node-4', 'root-1/node-1', [], said('assistant', ' right')),
    'root-1/nodes/node-5.json': nodeOf('root-1/node-5', 'root-1/node-2', [], said('assistant', ' another')),
  });
  const { roots, problems } = await readDirectory(directory);
  const nodes = roots[0]?.nodes ?? [];
  assert.deepEqual(shape(nodes), [
    'root-1 > root-1/node-1',
    'root-1/node-1 > root-1/node-2',
    'root-1/node-2 > root-1/node-4',
    'root-1/node-4 > root-1/node-3',
    'root-1/node-2 > root-1/node-5',
  ]);
  assert.deepEqual(codes(problems), ['child-list-repaired node-4.json', 'parent-repaired node-4.json']);
  assert.deepEqual(
    nodes.filter(({ continues }) => continues).map(({ id }) => id),
    ['root-1/node-4'],
  );
});

test('[NF8] nodes without a parent, and those below an unreadable one, stay in sight', async (t) => {
  const directory = makeDirectory(t, {
    'roots.json': [rootOf('root-1', ['root-1/node-1'])],
    'root-1/nodes/node-1.json': nodeOf('root-1/node-1', 'root-1', ['root-1/node-2', 'root-1/node-6']),
    'root-1/nodes/node-2.json': '{ torn',
    'root-1/nodes/node-3.json': nodeOf('root-1/node-3', 'root-1/node-2', [], { message: { role: 'user' } }),
    'root-1/nodes/node-4.json': nodeOf('root-1/node-4', 'root-1/node-3'),
    'root-1/nodes/node-5.json': nodeOf('root-1/node-5', 'root-2/node-1'),
  });
  const { roots, problems } = await readDirectory(directory);
  assert.deepEqual(shape(roots[0]?.nodes ?? []), [
    'root-1 > root-1/node-1',
    'root-1/node-1 > root-1/node-4',
    'root-1 > root-1/node-5',
  ]);
  assert.deepEqual(codes(problems), [
    'child-list-repaired roots.json',
    'child-missing node-1.json',
    'node-json-invalid node-2.json',
    'node-message-invalid node-3.json',
    'orphan-node node-5.json',
    'parent-unreadable node-4.json',
  ]);
});

test('[NF9] a circle is broken at its lowest name, and nothing in it is lost', async (t) => {
  const directory = makeDirectory(t, {
    'roots.json': [rootOf('root-1', [])],
    'root-1/nodes/node-2.json': nodeOf('root-1/node-2', 'root-1/node-10', ['root-1/node-3']),
    'root-1/nodes/node-3.json': nodeOf('root-1/node-3', 'root-1/node-2', ['root-1/node-10']),
    'root-1/nodes/node-10.json': nodeOf('root-1/node-10', 'root-1/node-3', ['root-1/node-2']),
    'root-1/nodes/self.json': nodeOf('root-1/self', 'root-1/self', ['root-1/self']),
  });
  const { roots, problems } = await readDirectory(directory);
  assert.deepEqual(shape(roots[0]?.nodes ?? []), [
    'root-1 > root-1/node-2',
    'root-1/node-2 > root-1/node-3',
    'root-1/node-3 > root-1/node-10',
    'root-1 > root-1/self',
  ]);
  assert.ok(codes(problems).includes('cycle-broken node-2.json'));
  assert.ok(codes(problems).includes('orphan-node self.json'));
});

test('[NF10] parents come first, and siblings as their parent lists them', async (t) => {
  const directory = makeDirectory(t, {
    'roots.json': [rootOf('root-1', ['root-1/b', 'root-1/a'])],
    'root-1/nodes/a.json': nodeOf('root-1/a', 'root-1', []),
    'root-1/nodes/b.json': nodeOf('root-1/b', 'root-1', ['root-1/node-9', 'root-1/node-3']),
    'root-1/nodes/node-3.json': nodeOf('root-1/node-3', 'root-1/b'),
    'root-1/nodes/node-9.json': nodeOf('root-1/node-9', 'root-1/b'),
    'root-1/nodes/node-10.json': nodeOf('root-1/node-10', 'root-1/b'),
  });
  const { roots } = await readDirectory(directory);
  assert.deepEqual(
    roots[0]?.nodes.map(({ id }) => id),
    ['root-1/b', 'root-1/node-9', 'root-1/node-3', 'root-1/node-10', 'root-1/a'],
  );
});

test('[NF11] a left half that says what it was cut off from is continued by just that', async (t) => {
  const directory = makeDirectory(t, {
    'roots.json': [rootOf('root-1', ['root-1/node-2'])],
    'root-1/nodes/node-2.json': nodeOf('root-1/node-2', 'root-1', ['root-1/node-3', 'root-1/node-1'], {
      metadata: { split_source: 'root-1/node-1' },
    }),
    'root-1/nodes/node-1.json': nodeOf('root-1/node-1', 'root-1/node-2'),
    'root-1/nodes/node-3.json': nodeOf('root-1/node-3', 'root-1/node-2', ['root-1/node-4'], {
      metadata: { split_source: 'root-1/node-4' },
    }),
    // No agent continues another agent's message.
    'root-1/nodes/node-4.json': nodeOf('root-1/node-4', 'root-1/node-3', [], {
      message: { role: 'assistant', content: 'x' },
    }),
  });
  const { roots } = await readDirectory(directory);
  assert.deepEqual(
    roots[0]?.nodes.map(({ id, continues, splitSource }) => [id, continues, splitSource]),
    [
      ['root-1/node-2', false, 'root-1/node-1'],
      ['root-1/node-3', false, 'root-1/node-4'],
      ['root-1/node-4', false, undefined],
      ['root-1/node-1', true, undefined],
    ],
  );
});

test('[NF12] a prompt that was kept as the only first message is the root’s, if that has none', async (t) => {
  const message = { role: 'system', content: 'Be brief.' };
  const files = { 'root-1/nodes/node-1.json': nodeOf('root-1/node-1', 'root-1', [], { message }) };
  const lifted = makeDirectory(t, { 'roots.json': [rootOf('root-1', ['root-1/node-1'], { config: {} })], ...files });
  const { roots, problems } = await readDirectory(lifted);
  assert.equal(roots[0]?.config.systemPrompt, 'Be brief.');
  assert.equal(roots[0]?.nodes.length, 1);
  assert.deepEqual(codes(problems), ['prompt-lifted node-1.json']);
  const kept = await readDirectory(makeDirectory(t, { 'roots.json': [rootOf('root-1', ['root-1/node-1'])], ...files }));
  assert.equal(kept.roots[0]?.config.systemPrompt, 'Test');
});
