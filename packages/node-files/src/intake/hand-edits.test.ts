import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '@loom/blocks';
import { z } from 'zod';
import type { NodeFilesPort } from '../node-files-port.ts';
import { expect, FilesWorld } from '../testing/files-world.ts';
import type { FilesWorldOptions } from '../testing/files-world.ts';
import { replaceBlindly } from '../testing/planted-faults.ts';

/** Creates a root with two messages, written to files. */
async function twoMessages(
  options: FilesWorldOptions = {},
): Promise<{ world: FilesWorld; root: string; first: string; file: string }> {
  const world = await FilesWorld.create(options);
  const root = await world.createRoot();
  const first = await world.say(root, root, 'one two three\nfour five six\n');
  await world.say(root, first, 'an answer', 'assistant');
  await world.settle();
  return { world, root, first, file: `${root}/nodes/node-1.json` };
}

async function lastChange(world: FilesWorld, root: string): Promise<{ agent: string; ops: string[] }> {
  const contents = await world.store.read(root, 0);
  const text = contents?.records.at(-1)?.text.slice(9) ?? '{}';
  const change = z
    .looseObject({ agent: z.string(), ops: z.array(z.looseObject({ type: z.string() })) })
    .parse(JSON.parse(text));
  return { agent: change.agent, ops: change.ops.map(({ type }) => type) };
}

for (const how of ['in-place', 'rename'] as const) {
  test(`[NW20] [NW21] a text that is edited ${how} is one change of the file system within a second, and can be undone`, async () => {
    const { world, root, first, file } = await twoMessages();
    await world.edit(file, 'two', '2', how);
    await world.edit(file, 'five', '5', how);
    await world.settle(900);
    assert.equal(await world.text(root, first), 'one 2 three\nfour 5 six\n');
    assert.deepEqual(await lastChange(world, root), { agent: 'filesystem', ops: ['text'] });
    assert.equal(world.reported('merged').length, 1);
    await world.assertWritten();
    expect(await world.forest.undo({ agent: 'filesystem', id: 'back' }, root));
    assert.equal(await world.text(root, first), 'one two three\nfour five six\n');
    await world.settle();
    await world.assertWritten();
  });
}

test('[NW20] an edit meets what others have written since the version that was edited, and both stay', async () => {
  const { world, root, first, file } = await twoMessages();
  const { blocks } = await world.node(root, first);
  const edited = ((await world.read(file)) ?? '').replace('one', 'ONE');
  expect(
    await world.forest.editBlock(world.request(), root, {
      block: blocks[0]?.block_id ?? '',
      text: 'one two three\nfour five six!\nmore',
    }),
  );
  await world.settle();
  await world.save(file, edited);
  await world.settle();
  assert.equal(await world.text(root, first), 'ONE two three\nfour five six!\nmore');
  await world.assertWritten();
});

test('[NW20] a text is edited while it streams, and goes on behind', async () => {
  const world = await FilesWorld.create();
  const root = await world.createRoot();
  const first = await world.say(root, root, 'go');
  const answer = await world.begin(root, first);
  await answer.write('The first line.\nThe sec');
  await world.settle();
  const file = `${root}/nodes/node-2.json`;
  const seen = (await world.read(file)) ?? '';
  await answer.write('ond line.\n');
  await world.save(file, seen.replace('first', '1st'));
  await answer.write('The third');
  await world.settle(50);
  await answer.write(' line.');
  await world.settle();
  await answer.write(' End.');
  await answer.end();
  await world.settle();
  assert.equal(await world.text(root, answer.node), 'The 1st line.\nThe second line.\nThe third line. End.');
  await world.assertWritten();
});

test('[NW22] title, tags, custom data, contents and new texts are edited in the file of a node', async () => {
  const world = await FilesWorld.create();
  const root = await world.createRoot();
  const calling: Message = {
    role: 'assistant',
    content: [
      { type: 'text', text: 'look' },
      { type: 'tool-use', id: 'c1', name: 'read', parameters: { path: 'a' } },
    ],
  };
  const { nodes } = expect(await world.forest.append(world.request(), root, { parent: root, messages: [calling] }));
  await world.settle();
  const file = `${root}/nodes/node-1.json`;
  const json = nodeFile.parse(JSON.parse((await world.read(file)) ?? ''));
  json.metadata['title'] = 'A title';
  json.metadata['tags'] = ['x', 'y'];
  json.metadata['custom_data'] = { deep: [1, { two: 2 }] };
  Object.assign(json.message.content[1] ?? {}, { parameters: { path: 'b' } });
  json.message.content.splice(1, 0, { type: 'text', text: 'and' });
  json.message.content.push({ type: 'text', text: 'last' });
  await world.save(file, JSON.stringify(json));
  await world.settle();
  const node = await world.node(root, nodes[0] ?? '');
  assert.deepEqual([node.title, node.tags, node.custom_data], ['A title', ['x', 'y'], { deep: [1, { two: 2 }] }]);
  assert.deepEqual(
    node.blocks.map((block) =>
      block.type === 'text' ? block.text : block.type === 'tool-use' ? block.parameters : block.type,
    ),
    ['look', 'and', { path: 'b' }, 'last'],
  );
  assert.equal(new Set(node.blocks.map((block) => block.block_id)).size, 4);
  await world.assertWritten();
  expect(await world.forest.undo({ agent: 'filesystem', id: 'back' }, root));
  assert.equal((await world.node(root, node.id)).title, undefined);
  assert.equal((await world.node(root, node.id)).blocks.length, 2);
});

const nodeFile = z.looseObject({
  id: z.string(),
  message: z.looseObject({ content: z.array(z.looseObject({ type: z.string() })) }),
  metadata: z.looseObject({}),
});

test('[NW22] title, tags and config are edited in the file of a root', async () => {
  const { world, root } = await twoMessages();
  await world.edit(`${root}/root.json`, '"Be brief."', '"Be long."\n  },\n  "title": "Talk",\n  "tags": ["a"');
  const broken = (await world.read(`${root}/root.json`)) ?? '';
  await world.save(`${root}/root.json`, broken.replace('["a"\n  }', '["a"]'));
  await world.settle();
  const { config, title, tags } = await world.state(root);
  assert.deepEqual([config, title, tags], [{ systemPrompt: 'Be long.' }, 'Talk', ['a']]);
  await world.assertWritten();
  assert.match((await world.read('roots.json')) ?? '', /"title": "Talk"/u);
});

test('[NW23] what others have saved is taken in before a file is replaced, though Loom was not told', async () => {
  assert.equal(await saveUnnoticed(), 'ONE two');
});

test('[NW23] a planted fault, a file that is replaced blindly, loses the edit', async () => {
  assert.equal(await saveUnnoticed(replaceBlindly), 'one two');
});

/** An editor saves a file just before it is written; returns the log's text after that. */
async function saveUnnoticed(plant: FilesWorldOptions['plant'] = (files) => files): Promise<string> {
  const world = await FilesWorld.create({ isUnwatched: true, plant });
  const root = await world.createRoot();
  const first = await world.say(root, root, 'one two');
  await world.settle();
  await world.edit(`${root}/nodes/node-1.json`, 'one', 'ONE');
  await world.say(root, first, 'a child', 'assistant');
  await world.settle();
  await world.assertWritten();
  return world.text(root, first);
}

test('[NW23] what an editor saves while the file is being written is taken in too', async () => {
  let saveMeanwhile: (() => Promise<void>) | undefined;
  const plant = (files: NodeFilesPort): NodeFilesPort => ({
    ...files,
    async open(path, how) {
      const file = await files.open(path, how);
      const save = path.includes('node-1') ? saveMeanwhile : undefined;
      if (save !== undefined) saveMeanwhile = undefined;
      await save?.();
      return file;
    },
  });
  const { world, root, first, file } = await twoMessages({ isUnwatched: true, plant });
  saveMeanwhile = () => world.edit(file, 'one', 'ONE');
  await world.say(root, first, 'a child', 'assistant');
  await world.settle();
  assert.equal(saveMeanwhile, undefined);
  assert.equal(await world.text(root, first), 'ONE two three\nfour five six\n');
  await world.assertWritten();
});

test('[NW24] an edit that was taken in is not taken in again, though the process died before it wrote the file', async () => {
  const { world, root, first, file } = await twoMessages();
  world.disk.full = true;
  await world.edit(file, 'two', 'NEW two');
  await world.settle();
  assert.equal(await world.text(root, first), 'one NEW two three\nfour five six\n');
  const block = (await world.node(root, first)).blocks[0]?.block_id ?? '';
  expect(await world.splice(root, block, 'one NE'.length, 'xx'));
  world.disk.full = false;
  await world.boot();
  await world.settle();
  assert.equal(await world.text(root, first), 'one NExxW two three\nfour five six\n');
  await world.assertWritten();
});

test('[NW24] an editor that goes on from what it saved before is understood so', async () => {
  const { world, root, first, file } = await twoMessages();
  let buffer = (await world.read(file)) ?? '';
  for (const [from, to] of [
    ['one', 'one and'],
    ['and', 'and a half,'],
    ['a half, ', ''],
  ] as const) {
    buffer = buffer.replace(from, to);
    await world.save(file, buffer);
    await world.settle();
  }
  assert.equal(await world.text(root, first), 'one and two three\nfour five six\n');
  await world.save(file, buffer.replace('one and', 'one'));
  await world.settle();
  assert.equal(await world.text(root, first), 'one two three\nfour five six\n');
  assert.equal(world.reported('merged').length, 4);
  await world.assertWritten();
});

test('[NW24] so is one whose saves were taken in by different processes, and nothing comes twice', async () => {
  const { world, root, first, file } = await twoMessages();
  const saved = (await world.read(file)) ?? '';
  const added = saved.replace('"content": [', '"content": [{"type": "text", "text": "by hand"},');
  for (const buffer of [added, added, added.replace('one', 'one and'), added.replace('one', 'one and a half,')]) {
    await world.save(file, buffer);
    await world.boot();
    await world.settle();
  }
  const texts = (await world.node(root, first)).blocks.map((block) => (block.type === 'text' ? block.text : ''));
  assert.deepEqual(texts, ['by hand', 'one and a half, two three\nfour five six\n']);
  await world.save(file, saved);
  await world.boot();
  await world.settle();
  assert.equal(await world.text(root, first), 'by hand|one two three\nfour five six\n', 'what was added stays');
  await world.assertWritten();
});

async function rewrite(world: FilesWorld, root: string, node: string, text: string): Promise<void> {
  const { blocks } = await world.node(root, node);
  expect(await world.forest.editBlock(world.request(), root, { block: blocks[0]?.block_id ?? '', text }));
  await world.settle();
}

test('[NW25] an older version of a file, as git checks it out, is an edit that goes back there, each time', async () => {
  const { world, root, first, file } = await twoMessages();
  expect(await world.forest.markRoot(world.request(), root, { title: 'Numbers' }));
  await world.settle();
  const files = [file, `${root}/root.json`];
  const older = await Promise.all(files.map((path) => world.read(path)));
  for (const [index, text] of ['all new', 'newer still'].entries()) {
    await rewrite(world, root, first, text);
    expect(await world.forest.markRoot(world.request(), root, { title: text }));
    await world.say(root, first, `another child ${index}`, 'assistant');
    await world.settle();
    world.reports.length = 0;
    for (const [place, path] of files.entries()) await world.save(path, older[place] ?? '', 'rename');
    await world.settle();
    assert.equal(await world.text(root, first), 'one two three\nfour five six\n');
    assert.equal((await world.state(root)).title, 'Numbers');
    assert.equal(world.reported('merged').length, 2);
    await world.assertWritten();
  }
  for (const id of ['back-1', 'back-2']) expect(await world.forest.undo({ agent: 'filesystem', id }, root));
  assert.equal(await world.text(root, first), 'newer still');
  assert.deepEqual(world.reported('quarantined'), []);
});

test('[NW25] what was typed since the newer version was written stays when an older one is put back', async () => {
  const { world, root, first, file } = await twoMessages();
  const older = (await world.read(file)) ?? '';
  await rewrite(world, root, first, 'one two three\nfour five seven\n');
  world.disk.full = true;
  await rewrite(world, root, first, 'zero, one two three\nfour five seven\n');
  await world.save(file, older, 'rename');
  await world.settle();
  world.disk.full = false;
  await world.settle(120_000);
  assert.equal(await world.text(root, first), 'zero, one two three\nfour five six\n');
  await world.assertWritten();
});

test('[NW25] an older version with other blocks is put aside', async () => {
  const { world, root, first, file } = await twoMessages();
  const older = (await world.read(file)) ?? '';
  await rewrite(world, root, first, 'all new');
  await world.edit(file, '"content": [', '"content": [{"type": "text", "text": "by hand"},');
  await world.settle();
  await world.save(file, older, 'rename');
  await world.settle();
  const [kept, ...others] = await world.files.quarantined();
  assert.deepEqual([kept?.file, kept?.reason, others], [file, 'not-editable', []]);
  await world.assertWritten();
});

test('[NW25] an older file of which no newer one is known is brought up to date', async () => {
  const { world, root, first, file } = await twoMessages();
  const older = (await world.read(file)) ?? '';
  await rewrite(world, root, first, 'all new');
  await world.shutDown();
  await world.forgetLedgers();
  await world.save(file, older, 'rename');
  await world.boot();
  await world.settle();
  assert.equal(await world.text(root, first), 'all new');
  assert.deepEqual([world.reported('quarantined'), world.reported('merged')], [[], []]);
  await world.assertWritten();
});

test('[NW25] a file from before its node got a child is no edit; with another text it is one', async () => {
  const { world, root, first } = await twoMessages();
  const leaf = await world.say(root, first, 'the last word');
  await world.settle();
  const file = `${root}/nodes/${leaf.slice(root.length + 1)}.json`;
  const older = (await world.read(file)) ?? '';
  for (const answer of ['an answer', 'another answer']) {
    await world.say(root, leaf, answer, 'assistant');
    await world.settle();
  }
  await world.save(file, older, 'rename');
  await world.settle();
  assert.deepEqual([world.reported('quarantined'), world.reported('merged')], [[], []]);
  await world.assertWritten();
  await world.save(file, older.replace('last word', 'last words'), 'rename');
  await world.settle();
  assert.equal(await world.text(root, leaf), 'the last words');
  assert.deepEqual(world.reported('quarantined'), []);
  await world.assertWritten();
});

test('[NW26] a file without a child that its node had when it was last altered is put aside', async () => {
  const { world, root, first, file } = await twoMessages();
  expect(await world.forest.markNode(world.request(), root, { node: first, title: 'marked' }));
  await world.settle();
  await world.save(file, ((await world.read(file)) ?? '').replace(/"child_ids": \[[^\]]*\]/u, '"child_ids": []'));
  await world.settle();
  const [kept, ...others] = await world.files.quarantined();
  assert.deepEqual([kept?.file, kept?.reason, others], [file, 'not-editable', []]);
  await world.assertWritten();
});

const badEdits: Record<string, [reason: string, edit: (text: string) => string]> = {
  'another id': ['not-editable', (text) => text.replace('/node-1"', '/node-7"')],
  'another parent': ['not-editable', (text) => text.replace(/"parent_id": ".*"/u, '"parent_id": "root-9"')],
  'a child that was never there': ['not-editable', (text) => text.replace('/node-2"', '/node-9"')],
  'a child twice': ['not-editable', (text) => text.replace(/("root.*node-2")/u, '$1, $1')],
  'another role': ['not-editable', (text) => text.replace('"role": "user"', '"role": "assistant"')],
  'another block id': ['not-editable', (text) => text.replace('@anna/1', '@anna/9')],
  'another block type': ['not-editable', (text) => text.replace('"type": "text"', '"type": "thinking"')],
  'no blocks': ['not-editable', (text) => text.replace(/"content": \[[^\]]*\]/u, '"content": []')],
  'a text that is none': ['not-editable', (text) => text.replace(/"text": ".*"/u, '"text": 5')],
  'another time': [
    'not-editable',
    (text) => text.replace(/"timestamp": ".*"/u, '"timestamp": "2020-01-01T00:00:00.000Z"'),
  ],
  'a key that no node has': ['not-editable', (text) => text.replace('{', '{"note": "mine",')],
  'tags that are none': ['not-editable', (text) => text.replace('"format"', '"tags": [1], "format"')],
  'a seq beyond the log': ['not-editable', (text) => text.replace(/"seq": \d+/u, '"seq": 999').replace('one', 'ONE')],
  'no object': ['shape-invalid', () => '[1, 2]'],
  'no JSON': ['json-invalid', (text) => text.slice(0, -5)],
  nothing: ['json-invalid', () => ''],
  'nothing to say any more': ['refused', (text) => text.replace(/"text": ".*"/u, '"text": " "')],
};

for (const [what, [reason, edit]] of Object.entries(badEdits)) {
  test(`[NW26] a file with ${what} is put aside, byte by byte, and written again; the log does not change`, async () => {
    const { world, root, file } = await twoMessages();
    const before = (await world.state(root)).seq;
    const bytes = edit((await world.read(file)) ?? '');
    assert.notEqual(bytes, await world.read(file));
    await world.save(file, bytes);
    await world.settle();
    assert.equal((await world.state(root)).seq, before);
    const [kept, ...others] = await world.files.quarantined();
    assert.deepEqual([kept?.file, kept?.reason, others], [file, reason, []]);
    assert.equal(await world.read(kept?.kept.replace('/data/', '') ?? ''), bytes);
    assert.equal(world.reported('quarantined').length, 1);
    await world.assertWritten();
  });
}

test('[NW27] a file that is not JSON is given time: half of it is no reason to put it aside', async () => {
  const { world, root, first, file } = await twoMessages();
  const whole = ((await world.read(file)) ?? '').replace('one', 'ONE');
  for (const length of [0, 100, 300]) {
    await world.save(file, whole.slice(0, length));
    await world.settle(300);
    await world.say(root, first, `a child ${length}`, 'assistant');
  }
  await world.save(file, whole);
  await world.settle();
  assert.equal(await world.text(root, first), 'ONE two three\nfour five six\n');
  assert.deepEqual(await world.files.quarantined(), []);
  await world.assertWritten();
});

test('[NW28] what was edited while Loom was away is in the log before the first read', async () => {
  const { world, root, first, file } = await twoMessages({ isUnwatched: true });
  await world.shutDown();
  await world.edit(file, 'two', '2');
  await world.boot();
  await world.files.checkRoot(root);
  assert.equal(await world.text(root, first), 'one 2 three\nfour five six\n');
  assert.equal(world.reported('merged').length, 1);
  await world.settle();
  await world.assertWritten();
});

test('[NW22] while a turn writes a node only its texts can be edited; anything else is put aside', async () => {
  const world = await FilesWorld.create();
  const root = await world.createRoot();
  const answer = await world.begin(root, root);
  await answer.write('so far');
  await world.settle();
  const file = `${root}/nodes/node-1.json`;
  await world.edit(file, '"content": [', '"content": [{"type": "text", "text": "before"},');
  await world.settle();
  assert.equal(await world.text(root, answer.node), 'so far');
  assert.deepEqual(
    (await world.files.quarantined()).map(({ reason }) => reason),
    ['refused'],
  );
  await answer.end();
  await world.settle();
  await world.edit(file, '"content": [', '"content": [{"type": "text", "text": "before"},');
  await world.settle();
  assert.equal(await world.text(root, answer.node), 'before|so far');
  await world.assertWritten();
});

test('[NW31] a file that only looks different is no edit, and gets its form back', async () => {
  const { world, root, file } = await twoMessages();
  const { seq } = await world.state(root);
  await world.save(file, JSON.stringify(JSON.parse((await world.read(file)) ?? ''), undefined, '\t'));
  await world.settle();
  assert.equal((await world.state(root)).seq, seq);
  assert.deepEqual(await world.files.quarantined(), []);
  await world.assertWritten();
});

test('[NW31] a file that says what the log says is no edit, though its seq is from a log that is no more', async () => {
  const { world, root, file } = await twoMessages();
  const { seq } = await world.state(root);
  await world.save(file, ((await world.read(file)) ?? '').replace(/"seq": \d+/u, '"seq": 999'));
  await world.settle();
  assert.equal((await world.state(root)).seq, seq);
  assert.deepEqual(await world.files.quarantined(), []);
  await world.assertWritten();
});

for (const how of ['goes on', 'is killed']) {
  test(`[NW24] an edit that is taken back before its file was replaced is taken back, however often; Loom ${how}`, async () => {
    const world = await FilesWorld.create({ isUnwatched: true });
    const root = await world.createRoot();
    const node = await world.say(root, root, 'one two');
    await world.settle();
    const path = `${root}/nodes/node-1.json`;
    const [before, after] = [(await world.read(path)) ?? '', ((await world.read(path)) ?? '').replace('one', 'ONE')];
    for (let round = 0; round < 3; round += 1) {
      for (const [content, text] of [
        [after, 'ONE two'],
        [before, 'one two'],
      ] as const) {
        await world.save(path, content);
        if (how === 'is killed') await world.boot();
        await world.files.recheckRoot(root);
        assert.equal(await world.text(root, node), text, `round ${round}`);
      }
    }
    await world.settle();
    await world.assertWritten();
    assert.deepEqual([await world.text(root, node), world.reported('merged').length], ['one two', 6]);
  });
}
