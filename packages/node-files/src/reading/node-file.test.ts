import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isPlainObject } from '@loom/blocks';
import { createMemoryStore } from '@loom/stores/memory';
import { findNodes, findNodesOrThrow, loadNode, loadNodeOrThrow, NodeFileError, readDirectory } from '@loom/node-files';
import { importRoot } from '../adoption/import-root.ts';
import { verifyRoot } from '../adoption/root-digest.ts';
import type { NodeFile } from './node-file.ts';
import type { NodeFileProblem } from '@loom/node-files';
import { makeDirectory, makeForest, nodeOf, photograph, rootOf } from '../testing/legacy-directory.ts';

const badCall = { id: 'call_7', type: 'function', function: { name: 'search', arguments: '{cut' } };
const badFiles: Record<string, unknown> = {
  'node-json-invalid': '{ invalid json content',
  'node-shape-invalid': [1],
  'node-message-invalid': nodeOf('root-1/x', 'root-1', [], { message: { role: 'tool', content: 'no call' } }),
  'node-arguments-invalid': nodeOf('root-1/x', 'root-1', [], {
    message: { role: 'assistant', content: 'Let me look.', tool_calls: [badCall] },
  }),
  'node-format-newer': nodeOf('root-1/x', 'root-1', [], { metadata: { format: 1000 } }),
};

const refusalOf = async (file: string): Promise<NodeFileProblem> => {
  const reading = await loadNode(file);
  assert.ok(!reading.ok, 'it was read');
  return reading.problem;
};

const legacyOf = (node: NodeFile): unknown => node.customData['loom_legacy'];

test('[NF13] sources fit the kernel: what only the root knew is filled in, and a call is paid for once', async (t) => {
  const usage = { input_tokens: 12, output_tokens: 5, raw: { n: 1 } };
  const model = { type: 'model', parameters: { max_tokens: 1.5 }, finish_reason: 'stop', usage };
  const said = (role: string, source_info: unknown) => ({
    message: role === 'tool' ? { role, content: 'x', tool_call_id: 'c' } : { role, content: 'x' },
    metadata: { source_info },
  });
  const cases: [string, unknown, unknown][] = [
    ['user', { type: 'user' }, { type: 'user' }],
    ['user', model, { type: 'user' }],
    ['assistant', { type: 'user' }, { type: 'user' }],
    ['assistant', model, { ...model, provider: 'anthropic', model_name: 'claude-3' }],
    [
      'assistant',
      { ...model, provider: 'openai', parameters: { model: 'gpt-4.1' }, usage: { ...usage, vendor: 1 }, tools: [] },
      { ...model, provider: 'openai', model_name: 'gpt-4.1', parameters: { model: 'gpt-4.1' }, tools: [] },
    ],
    ['assistant', { type: 'split' }, { type: 'model', provider: 'anthropic', model_name: 'claude-3', parameters: {} }],
    ['tool', { type: 'tool_result', tool_name: 'f' }, { type: 'tool_result', tool_name: 'f' }],
    ['tool', model, { type: 'tool_result', tool_name: '' }],
  ];
  const ids = cases.map((_, index) => `root-1/node-${index + 1}`);
  const directory = makeDirectory(t, {
    'roots.json': [rootOf('root-1', ids, { config: { providerType: 'anthropic', model: 'claude-3' } })],
    ...Object.fromEntries(
      cases.map(([role, source], index) => [
        `root-1/nodes/node-${index + 1}.json`,
        nodeOf(`root-1/node-${index + 1}`, 'root-1', [], said(role, source)),
      ]),
    ),
  });
  const { nodes, problems } = await findNodes(directory);
  for (const [index, [, , expected]] of cases.entries()) assert.deepEqual(nodes[index]?.source, expected);
  assert.deepEqual(problems, []);
});

test('[NF14] whatever a file says beside its message is kept: where it fits, else in the custom data', async (t) => {
  const call = { id: 'c', index: 0, type: 'function', function: { name: 'f', arguments: '{}' } };
  const directory = makeDirectory(t, {
    'root-1/nodes/node-1.json': {
      ...nodeOf('node-1', 'root-1', [], {
        message: { role: 'assistant', content: ' \n', tool_calls: [call], name: 'me' },
        metadata: {
          source_info: { type: 'split' },
          tags: ['cli/unread', 'x'],
          title: 'T',
          deleted: true,
          custom_data: { k: { nested: [1, 2] } },
          split_source: 'root-1/node-7',
          future: true,
        },
      }),
      color: 'red',
    },
    'root-1/nodes/node-2.json': {
      ...nodeOf('root-1/node-2', 'root-1', [], { metadata: { custom_data: { loom_legacy: 1 }, tags: 'x' } }),
    },
    'root-1/nodes/node-3.json': { ...nodeOf('root-1/node-3', 'root-1'), metadata: 'gone' },
  });
  const node = await loadNodeOrThrow(join(directory, 'root-1/nodes/node-1.json'));
  assert.deepEqual(
    [node.tags, node.title, node.deleted, node.splitSource, node.timestamp],
    [['cli/unread', 'x'], 'T', true, 'root-1/node-7', '2025-07-01T00:00:00.000Z'],
  );
  assert.deepEqual(node.customData, {
    k: { nested: [1, 2] },
    loom_legacy: {
      id: 'node-1',
      node: { color: 'red' },
      message: { name: 'me', content: ' \n', tool_calls: [call] },
      metadata: {
        timestamp: '2025-07-01T00:00:00.000Z',
        original_root_id: 'node-1',
        split_source: 'root-1/node-7',
        future: true,
        source_info: { type: 'split' },
      },
    },
  });
  const second = await loadNode(join(directory, 'root-1/nodes/node-2.json'));
  assert.ok(second.ok);
  const legacy = legacyOf(second.node);
  assert.ok(isPlainObject(legacy) && isPlainObject(legacy['metadata']));
  assert.deepEqual([legacy['metadata']['custom_data'], legacy['metadata']['tags']], [{ loom_legacy: 1 }, 'x']);
  assert.deepEqual(
    second.problems.map(({ code }) => code),
    ['metadata-invalid'],
  );
  const third = await loadNodeOrThrow(join(directory, 'root-1/nodes/node-3.json'));
  assert.deepEqual(legacyOf(third), { id: 'root-1/node-3', metadata: 'gone' });
});

test('[NF15] a bad node is reported with its file, a code of its own and advice; the others are read', async (t) => {
  for (const [code, content] of Object.entries(badFiles)) {
    const directory = makeDirectory(t, {
      'roots.json': [rootOf('root-1', ['root-1/good', 'root-1/x'])],
      'root-1/nodes/good.json': nodeOf('root-1/good', 'root-1'),
      'root-1/nodes/x.json': content,
    });
    const file = join(directory, 'root-1/nodes/x.json');
    const problem = await refusalOf(file);
    assert.deepEqual([problem.code, problem.effect, problem.file], [code, 'unreadable', file]);
    const { nodes, problems } = await findNodes(directory);
    assert.deepEqual(
      nodes.map(({ id }) => id),
      ['root-1/good'],
    );
    assert.deepEqual(problems, [problem]);
  }
});

test('[NF16] the strict readers throw an error that names the file and says what to do', async (t) => {
  for (const [code, content] of Object.entries(badFiles)) {
    const directory = makeDirectory(t, {
      'roots.json': [rootOf('root-1', ['root-1/x'])],
      'root-1/nodes/x.json': content,
    });
    const file = join(directory, 'root-1/nodes/x.json');
    const isRight = (error: unknown): boolean => {
      assert.ok(error instanceof NodeFileError);
      assert.deepEqual([error.code, error.file], [code, file]);
      assert.match(error.message, /x\.json: .*(?:mend|backup|newer)/iu);
      return true;
    };
    await assert.rejects(loadNodeOrThrow(file), isRight);
    await assert.rejects(findNodesOrThrow(directory), isRight);
  }
  const fine = makeDirectory(t, {
    'roots.json': '',
    'root-1/nodes/a.json': nodeOf('root-1/a', 'root-1/gone'),
    'root-1/nodes/a.json.tmp': '',
  });
  assert.equal((await findNodesOrThrow(fine)).length, 1);
  await assert.rejects(loadNodeOrThrow(join(fine, 'root-1/nodes/b.json')), { code: 'node-missing' });
  await assert.rejects(loadNodeOrThrow(join(fine, 'root-1')), { code: 'node-not-a-file' });
  await assert.rejects(readDirectory(join(fine, 'nowhere')), { code: 'directory-unreadable' });
  const isFile = { code: 'directory-unreadable', message: /roots\.json: is a file, not a folder; name/u };
  await assert.rejects(readDirectory(join(fine, 'roots.json')), isFile);
});

test('[NF17] arguments that are not a JSON object are reported with the call, the tool and the text', async (t) => {
  const directory = makeDirectory(t, { 'root-1/nodes/x.json': badFiles['node-arguments-invalid'] });
  const { toolArguments, message } = await refusalOf(join(directory, 'root-1/nodes/x.json'));
  assert.ok(toolArguments !== undefined && toolArguments.parseError.length > 0);
  assert.deepEqual(toolArguments, {
    toolCallId: 'call_7',
    toolName: 'search',
    rawArguments: '{cut',
    parseError: toolArguments.parseError,
  });
  assert.match(message, /call_7/u);
});

test('[NF18] files that no program would write are answered, never thrown at', async (t) => {
  const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
  const deep = nested(100_000);
  const inArguments = (text: string) =>
    nodeOf('root-1/x', 'root-1', [], {
      message: {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: text } }],
      },
    });
  const hostile: [unknown, string][] = [
    ['', 'node-json-invalid'],
    ['null', 'node-shape-invalid'],
    ['{}', 'node-message-invalid'],
    [new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]), 'node-json-invalid'],
    [deep, 'node-too-deep'],
    [inArguments(`{"a":${deep}}`), 'node-arguments-invalid'],
    [inArguments(`{"a":${nested(998)}}`), 'node-too-deep'],
    [nodeOf('root-1/x', 'root-1', [], { message: { role: { toString: 1 }, content: 7 } }), 'node-message-invalid'],
  ];
  for (const [content, code] of hostile) {
    const directory = makeDirectory(t, { 'root-1/nodes/x.json': content });
    assert.equal((await refusalOf(join(directory, 'root-1/nodes/x.json'))).code, code);
  }
  const large = makeDirectory(t, { 'root-1/nodes/x.json': '' });
  truncateSync(join(large, 'root-1/nodes/x.json'), 300 * 1024 * 1024);
  assert.equal((await refusalOf(join(large, 'root-1/nodes/x.json'))).code, 'node-too-large');
});

test('[NF18] a number beyond what a double holds is kept as it was spelled', async (t) => {
  const text = JSON.stringify(nodeOf('root-1/x', 'root-1', [], { metadata: { big: 7 } })).replace(
    '"big":7',
    '"big":-1e999',
  );
  const directory = makeDirectory(t, { 'root-1/nodes/x.json': text });
  const reading = await loadNode(join(directory, 'root-1/nodes/x.json'));
  assert.ok(reading.ok);
  const legacy = legacyOf(reading.node);
  assert.ok(isPlainObject(legacy) && isPlainObject(legacy['metadata']));
  assert.equal(legacy['metadata']['big'], '-1e999');
  assert.deepEqual(
    reading.problems.map(({ code }) => code),
    ['number-out-of-range'],
  );
});

test('[NF18] [NF23] whatever JSON stands in the files, every file is shown or reported, once, and what is shown can be imported', async (t) => {
  const value = fc.oneof(fc.jsonValue(), fc.constantFrom('root-1', 'root-1/a', 'b', 'root-1/b', 'root-1/c'));
  const links = fc.constantFrom('root-1', 'root-1/a', 'b', 'root-1/b', 'root-1/c', 'a', 'z');
  const message = fc.oneof(fc.constant({ role: 'user', content: 'x' }), fc.jsonValue());
  const node = fc.oneof(
    { weight: 4, arbitrary: fc.record({ id: links, parent_id: links, child_ids: fc.array(links), message }) },
    { weight: 1, arbitrary: fc.record({ id: value, parent_id: value, child_ids: value, message, metadata: value }) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
  const anyConfig = fc.oneof(
    value,
    fc.dictionary(fc.constantFrom('systemPrompt', 'model', 'loom_legacy', '__proto__'), fc.jsonValue()),
  );
  const list = fc.oneof(
    fc.array(fc.record({ id: links, child_ids: fc.array(links), config: anyConfig })),
    fc.jsonValue(),
  );
  const names = ['a', 'b', 'c'];
  const directory = makeDirectory(t, { 'root-1/nodes/a.json': '' });
  await fc.assert(
    fc.asyncProperty(fc.tuple(node, node, node), list, async (nodes, roots) => {
      for (const [index, name] of names.entries()) {
        writeFileSync(join(directory, `root-1/nodes/${name}.json`), JSON.stringify(nodes[index]));
      }
      writeFileSync(join(directory, 'roots.json'), JSON.stringify(roots));
      const read = await readDirectory(directory);
      const shown = read.roots.flatMap((root) => root.nodes);
      const bad = read.problems.filter(({ code }) => code.startsWith('node-')).map(({ file }) => file);
      assert.deepEqual(
        [...shown.map(({ file }) => file), ...bad].toSorted(),
        names.map((name) => join(directory, `root-1/nodes/${name}.json`)),
      );
      const seen = new Set(['root-1']);
      for (const { id, parent } of shown) {
        assert.ok(seen.has(parent), `${parent} comes after ${id}`);
        seen.add(id);
      }
      const store = createMemoryStore();
      for (const root of read.roots) {
        const imported = await importRoot(makeForest(store), { agent: 'importer', id: 'import' }, root);
        assert.ok(imported.ok);
        const verification = await verifyRoot(makeForest(store), imported.value.root, root);
        assert.ok(verification.ok);
      }
    }),
    { numRuns: 150 },
  );
});

test('[NF19] links are not followed, and pipes and folders not opened', async (t) => {
  const outside = makeDirectory(t, {
    'secret.json': nodeOf('root-1/secret', 'root-1'),
    'root-9/nodes/node-1.json': nodeOf('root-9/node-1', 'root-9'),
  });
  const directory = makeDirectory(t, {
    'roots.json': [rootOf('root-1', ['root-1/node-1'])],
    'root-1/nodes/node-1.json': nodeOf('root-1/node-1', 'root-1'),
    'root-2/other': '',
  });
  symlinkSync(join(outside, 'secret.json'), join(directory, 'root-1/nodes/secret.json'));
  symlinkSync(join(outside, 'root-9'), join(directory, 'root-9'));
  symlinkSync(join(outside, 'root-9/nodes'), join(directory, 'root-2/nodes'));
  mkdirSync(join(directory, 'root-1/nodes/folder.json'));
  execFileSync('mkfifo', [join(directory, 'root-1/nodes/pipe.json')]);
  const before = photograph(directory);
  const { roots, problems } = await readDirectory(directory);
  assert.deepEqual(
    roots.map(({ id, nodes }) => [id, nodes.map((node) => node.id)]),
    [['root-1', ['root-1/node-1']]],
  );
  assert.deepEqual(problems.map(({ code, file }) => `${code} ${file.slice(directory.length + 1)}`).toSorted(), [
    'file-ignored root-1/nodes/folder.json',
    'file-ignored root-1/nodes/pipe.json',
    'link-ignored root-1/nodes/secret.json',
    'link-ignored root-2/nodes',
    'link-ignored root-9',
  ]);
  for (const name of ['secret', 'folder', 'pipe']) {
    assert.equal((await refusalOf(join(directory, `root-1/nodes/${name}.json`))).code, 'node-not-a-file');
  }
  assert.deepEqual(photograph(directory), before);
});

test('[NF20] names may hold anything that a file system takes', async (t) => {
  const names = ['__proto__', 'constructor', 'a b', '日本 👩‍👩‍👧', '%2e%2e', '"', "'", '-n', '$(x)', 'a\\b'];
  for (const name of names) {
    const directory = makeDirectory(t, {
      'roots.json': [rootOf(name, [`${name}/${name}`])],
      [`${name}/nodes/${name}.json`]: nodeOf(`${name}/${name}`, name),
      [`${name}/nodes/child.json`]: nodeOf(`${name}/child`, `${name}/${name}`),
    });
    const { roots } = await readDirectory(directory);
    assert.deepEqual(
      roots.map(({ id, nodes }) => [id, nodes.map((node) => `${node.parent} > ${node.id}`)]),
      [[name, [`${name} > ${name}/${name}`, `${name}/${name} > ${name}/child`]]],
    );
  }
});
