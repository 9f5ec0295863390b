import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelWords } from '../operations/model-words.ts';
import { createToolWorld, done, refused, user } from './testing/tool-world.ts';

test('[BT40] lines are read with the numbers that an edit understands, or as they are', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'one\r\ntwo\n\nfour' });
  const read = async (more: object) => done(await world.tools.read({ block_id, ...more }));
  const whole = await read({});
  assert.equal(whole.content, '0\tone\r\n1\ttwo\n2\t\n3\tfour');
  assert.deepEqual(
    { ...whole, content: '' },
    { content: '', metadata: {}, role: 'user', kind: 'text', status: 'done', version: 1, line_count: 4 },
  );
  assert.equal((await read({ line_numbers: false })).content, 'one\r\ntwo\n\nfour');
  assert.equal((await read({ range: { start: 1, end: 3 } })).content, '1\ttwo\n2\t\n');
  assert.equal((await read({ range: { start: 3, end: 99 } })).content, '3\tfour');
  assert.equal((await read({ range: { start: 4, end: 4 } })).content, '');
  assert.equal((await read({ range: { start: 1, end: 2 } })).line_count, 4, 'of the whole text');
  refused(await world.tools.read({ block_id, range: { start: 5, end: 6 } }), 'line-out-of-range');
  refused(await world.tools.read({ block_id, range: { start: 2, end: 1 } }), 'invalid-params');
  const lines = whole.content.split(/\r?\n/).map((line) => line.split('\t')[1] ?? '');
  const operations = lines.map((line, index) => ({
    op: 'replace' as const,
    start_line: index,
    end_line: index + 1,
    content: `${line}\n`,
    expected_text: line,
  }));
  done(await world.tools.edit(world.by(), { block_id, operations }));
  assert.equal((await read({ line_numbers: false })).content, 'one\r\ntwo\n\nfour', 'what was read is what is there');
});

test('[BT41] an earlier version is read as it was; one that there is not is refused', async () => {
  const world = await createToolWorld();
  const block_id = await world.block();
  done(await world.tools.append(world.by(), { block_id, text: 'a\n' }));
  done(await world.tools.append(world.by(), { block_id, text: 'b\n' }));
  done(await world.tools.status(world.by(), { block_id, status: 'done' }));
  done(await world.tools.splice(world.by(), { block_id, offset: 0, delete_count: 1, insert: 'A' }));
  done(await world.tools.undo(world.by(), { block_id }));
  const seen = [];
  for (const version of [1, 2, 3, 4, 5, 6]) {
    const {
      content,
      status,
      line_count,
      version: told,
    } = done(await world.tools.read({ block_id, version, line_numbers: false }));
    assert.equal(told, version);
    seen.push([content, status, line_count]);
  }
  assert.deepEqual(seen, [
    ['', 'pending', 0],
    ['a\n', 'running', 1],
    ['a\nb\n', 'running', 2],
    ['a\nb\n', 'done', 2],
    ['A\nb\n', 'done', 2],
    ['a\nb\n', 'done', 2],
  ]);
  for (const version of [0, 7]) refused(await world.tools.read({ block_id, version }), 'version-not-found');
});

test('[BT42] a block without a text of its own is read, found and listed as what it looks like', async () => {
  const world = await createToolWorld();
  const metadata = { tool_name: 'grep', tool_call_id: 'c' };
  const block_id = await world.block({ role: 'model', kind: 'tool_call', content: '{"for":"needle"}', metadata });
  assert.equal(await world.text(block_id), 'grep({"for":"needle"})');
  assert.equal(done(await world.tools.search({ block_id, query: 'needle' })).matches.length, 1);
  assert.equal(done(await world.tools.list({ parent_id: world.root }))[0]?.summary, 'grep({"for":"needle"})');
});

test('[BT43] block.search finds lines with their numbers and places, and says whether that is all', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'a\nb needle\nc\nd 😀needle' });
  const search = async (more: object) => done(await world.tools.search({ block_id, query: 'needle', ...more }));
  assert.deepEqual(await search({ context_lines: 1 }), {
    matches: [
      { line: 1, content: '0-a\n1:b needle\n2-c', match_start: 2, match_end: 8 },
      { line: 3, content: '2-c\n3:d 😀needle', match_start: 4, match_end: 10 },
    ],
    truncated: false,
  });
  assert.deepEqual(await search({ query: 'n.{4}e', max_matches: 1, context_lines: 0 }), {
    matches: [{ line: 1, content: '1:b needle', match_start: 2, match_end: 8 }],
    truncated: true,
  });
  const none = { matches: [], truncated: false };
  assert.deepEqual(await search({ query: 'a.b' }), none);
  assert.deepEqual(await search({ query: 'n.e', literal: true }), none);
  assert.deepEqual(await search({ query: 'NEEDLE' }), none);
  for (const literal of [true, false]) {
    assert.equal((await search({ query: 'NEEDLE', ignore_case: true, literal })).matches.length, 2);
  }
  refused(await world.tools.search({ block_id, query: '(' }), 'invalid-regex');
  refused(await world.tools.search({ block_id, query: '(?=x)' }), 'invalid-regex');
});

test('[BT43] a text that is too long to be searched through is never answered as one without a match', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: `${'some words and no number\n'.repeat(500_000)}in 2026\n` });
  const query = String.raw`\b\d{4}\b`;
  assert.deepEqual(await world.tools.search({ block_id, query }), { matches: [], truncated: true });
  const found = { blocks: [], conversations: [], truncated: true, complete: false };
  const { next = '', ...first } = done(await world.tools.searchAll({ query }));
  assert.deepEqual(first, { ...found, searched: { conversations: first.searched.conversations, of: 1 } });
  const last = done(await world.tools.searchAll({ query, from: next }));
  assert.deepEqual(last, { ...found, searched: { conversations: 1, of: 1 } }, 'nor when it is gone on with');
  refused(await world.tools.searchAll({ query, from: 'nowhere' }), 'invalid-params');
});

test('[BT44] kernel.search looks through all conversations: by kind, path, root, and up to its limits', async () => {
  const world = await createToolWorld();
  const plain = await world.block({ content: 'needle\nneedle\nneedle' });
  const code = await world.block({ role: 'model', kind: 'code', content: 'needle', metadata: { path: 'src/a.ts' } });
  const called = await world.block({ role: 'model', kind: 'tool_call', content: '{}', metadata: { tool_name: 't' } });
  const result = await world.block({ parent_id: called, role: 'tool', kind: 'tool_result', content: 'needle' });
  const other = done(await world.tools.create(world.by(), { role: 'user', kind: 'text', content: 'needle' })).block_id;
  const searchAll = async (more: object) => done(await world.tools.searchAll({ query: 'needle', ...more }));
  const search = async (more: object) => (await searchAll(more)).blocks.map(({ block_id }) => block_id);
  assert.deepEqual(
    await search({}),
    [other, plain, code, result],
    'everything by default, the newest conversation first',
  );
  assert.deepEqual(await search({ kinds: ['file'] }), [], 'there are none yet');
  assert.deepEqual(await search({ kinds: ['text'] }), [other, plain, result]);
  assert.deepEqual(await search({ kinds: ['tool_result'] }), [result]);
  assert.deepEqual(await search({ path_prefix: 'src/' }), [code]);
  assert.deepEqual(await search({ kinds: ['text', 'code'], path_prefix: 'lib/' }), []);
  assert.deepEqual(await search({ kinds: ['text'], roots: [world.root, world.root] }), [plain, result]);
  assert.deepEqual(await search({ kinds: ['text'], roots: ['root-nowhere', 'forest', '', other.split('/')[0]] }), [
    other,
  ]);
  assert.deepEqual(await search({ query: 'NEEDLE', kinds: ['code'] }), []);
  assert.deepEqual(await search({ query: 'NEEDLE', kinds: ['code'], ignore_case: true }), [code]);
  const first = await searchAll({ kinds: ['text'], max_blocks: 1 });
  assert.deepEqual([first.blocks.map(({ block_id }) => block_id), first.truncated], [[other], true]);
  const second = await searchAll({ kinds: ['text'], max_blocks: 1, from: first.next });
  const third = await searchAll({ kinds: ['text'], max_blocks: 1, from: second.next });
  assert.deepEqual([second.blocks[0]?.block_id, third.blocks[0]?.block_id, third.next], [plain, result, undefined]);
  assert.deepEqual([first.complete, second.complete, third.complete], [false, false, true]);
  const grouped = await searchAll({ kinds: ['text'], max_blocks_per_root: 1 });
  assert.deepEqual(
    grouped.conversations.map(({ blocks }) => blocks),
    [1, 2],
  );
  const { blocks, truncated } = await searchAll({ kinds: ['text'], max_matches_per_block: 2, context_lines: 0 });
  assert.deepEqual([blocks[1]?.matches.length, blocks[1]?.truncated, blocks[0]?.truncated], [2, true, undefined]);
  assert.deepEqual([truncated, blocks[1]?.matches[1]?.content], [true, '1:needle']);
  const bare = await searchAll({ kinds: ['code'], line_numbers: false });
  assert.equal(bare.blocks[0]?.matches[0]?.content, 'needle', 'without its number');
  assert.equal((await searchAll({ kinds: ['code'] })).blocks[0]?.path, 'src/a.ts');
  assert.equal((await searchAll({ kinds: ['code'] })).truncated, false);
  refused(await world.tools.searchAll({ query: '*' }), 'invalid-regex');
  const unknown = refused(await world.tools.searchAll({ query: 'needle', kinds: ['txt'] }), 'invalid-params');
  assert.match(modelWords(unknown), /no kind of block "txt"; there are text, /);
  refused(await world.tools.list({ kind: 'txt' }), 'invalid-params');
});

test('[BT45] what hangs on a root, node or block is listed node by node, as deep as asked', async () => {
  const world = await createToolWorld();
  const top = done(
    await world.tools.create(world.by(), { parent_id: world.root, role: 'user', kind: 'text', content: '1' }),
  );
  const thought = await world.block({ parent_id: top.block_id, role: 'model', kind: 'thinking' });
  const said = await world.block({ parent_id: thought, role: 'model', content: '2b' });
  const left = await world.block({ parent_id: said, content: '3l' });
  const right = await world.block({ parent_id: said, content: '3r' });
  const deep = await world.block({ parent_id: left, role: 'model', content: '4' });
  const list = async (parent_id: string | undefined, more = {}) =>
    done(await world.tools.list({ ...(parent_id === undefined ? {} : { parent_id }), ...more })).map(
      ({ block_id }) => block_id,
    );
  assert.deepEqual(await list(world.root), [top.block_id]);
  assert.deepEqual(await list(undefined), [top.block_id]);
  assert.deepEqual(await list(top.node_id), [thought, said]);
  assert.deepEqual(await list(top.block_id), [thought, said]);
  assert.deepEqual(await list(thought), [said, left, right], 'the rest of its message, and one message deeper');
  assert.deepEqual(await list(world.root, { depth: 3 }), [top.block_id, thought, said, left, right]);
  assert.deepEqual(await list(world.root, { depth: 1_000_000 }), [top.block_id, thought, said, left, deep, right]);
  assert.deepEqual(await list(deep), []);
  assert.deepEqual(await list(world.root, { depth: 9, kind: 'thinking' }), [thought]);
  assert.deepEqual(await list(world.root, { depth: 9, status: 'pending' }), [thought]);
  assert.deepEqual(await list(world.root, { depth: 9, kind: 'tool_result' }), []);
  assert.deepEqual(await list(world.root, { depth: 9, path_prefix: '' }), [], 'what has no path is below none');
});

test('[BT45] a very deep conversation is listed to its end', async () => {
  const world = await createToolWorld();
  let parent = world.root;
  for (let chunk = 0; chunk < 40; chunk += 1) {
    const messages = Array.from({ length: 300 }, (_, index) => user(`${chunk * 300 + index}`));
    const appended = await world.engine.forest.append(world.by(), world.root, { parent, messages });
    assert.ok(appended.ok);
    parent = appended.value.nodes.at(-1) ?? parent;
  }
  const listed = done(await world.tools.list({ parent_id: world.root, depth: 30_000 }));
  assert.deepEqual([listed.length, listed.at(-1)?.summary], [12_000, '11999']);
});

test('[BT46] a summary is the first line that says something, and the number of lines if there are more', async () => {
  const world = await createToolWorld();
  const cases: [content: string, summary: string][] = [
    ['', ''],
    ['one', 'one'],
    ['one\n', 'one'],
    ['\n\n  one  \r\ntwo', 'one (4 lines)'],
    ['\n \n', '(2 lines)'],
    ['x'.repeat(80), 'x'.repeat(80)],
    ['x'.repeat(81), `${'x'.repeat(79)}…`],
    [`${'x'.repeat(78)}😀😀`, `${'x'.repeat(78)}…`],
    [`${'x'.repeat(90)}\ny`, `${'x'.repeat(79)}… (2 lines)`],
  ];
  for (const [content] of cases) await world.block({ content });
  const listed = done(await world.tools.list({ parent_id: world.root }));
  assert.deepEqual(
    listed.map(({ summary }) => summary),
    cases.map(([, summary]) => summary),
  );
  assert.ok(
    listed.every(({ dirty }) => !dirty),
    'only files have a copy elsewhere',
  );
});

test('[BT47] the history of a block says who made each version, when, and what changed', async () => {
  const world = await createToolWorld();
  const block_id = await world.block();
  world.clock.advance(1000);
  done(await world.tools.splice(world.by('bob'), { block_id, offset: 0, delete_count: 0, insert: 'a😀' }));
  done(await world.tools.append(world.by('cyd'), { block_id, text: 'c' }));
  done(await world.tools.status(world.by(), { block_id, status: 'done' }));
  done(await world.tools.splice(world.by(), { block_id, offset: 1, delete_count: 4, insert: 'b' }));
  const node = (await world.state()).nodeOfBlock.get(block_id) ?? '';
  const marked = await world.engine.forest.markNode(world.by('dan'), world.root, { node, title: 'a title' });
  assert.ok(marked.ok);
  const content = { type: 'text' as const, text: 'new' };
  assert.ok((await world.engine.forest.editBlock(world.by('eve'), world.root, { block: block_id, content })).ok);
  const history = done(await world.tools.history({ block_id }));
  assert.deepEqual(
    history.map(({ version, agent, what, status, inserted, deleted }) => [
      version,
      agent,
      what.join(),
      status,
      inserted,
      deleted,
    ]),
    [
      [1, 'ann', 'added', 'pending', 0, 0],
      [2, 'bob', 'status,text', 'running', 3, 0],
      [3, 'cyd', 'text', 'running', 1, 0],
      [4, 'ann', 'status', 'done', 0, 0],
      [5, 'ann', 'text', 'done', 1, 2],
      [6, 'eve', 'replaced', 'done', 3, 3],
    ],
  );
  assert.ok(history.every(({ seq }, index) => index === 0 || seq > (history[index - 1]?.seq ?? 0)));
  assert.equal(Date.parse(history[1]?.time ?? '') - Date.parse(history[0]?.time ?? ''), 1000);
  const versions = async (more: object) =>
    done(await world.tools.history({ block_id, ...more })).map(({ version }) => version);
  assert.deepEqual(await versions({ limit: 2 }), [5, 6]);
  assert.deepEqual(await versions({ limit: 2, before: 5 }), [3, 4]);
  assert.deepEqual(await versions({ before: 1 }), []);
});

test('[BT48] a diff between two versions is a patch that leads from one to the other', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'a\nb\nc' });
  done(
    await world.tools.edit(world.by(), {
      block_id,
      operations: [{ op: 'replace', start_line: 1, end_line: 2, content: 'B' }],
    }),
  );
  done(await world.tools.splice(world.by(), { block_id, offset: 0, delete_count: 0, insert: '0\n' }));
  const forward = done(await world.tools.diff({ block_id, from_version: 1 }));
  assert.deepEqual([forward.from_version, forward.to_version], [1, 3]);
  const copy = await world.block({ content: 'a\nb\nc' });
  assert.ok((await world.patch(world.by(), { block_id: copy, patch: forward.diff })).success);
  assert.equal(await world.text(copy), '0\na\nB\nc');
  const back = done(await world.tools.diff({ block_id, from_version: 3, to_version: 1 }));
  assert.ok((await world.patch(world.by(), { block_id: copy, patch: back.diff })).success);
  assert.equal(await world.text(copy), 'a\nb\nc');
  assert.equal(done(await world.tools.diff({ block_id, from_version: 2, to_version: 2 })).diff, '');
  refused(await world.tools.diff({ block_id, from_version: 9 }), 'version-not-found');
  refused(await world.tools.diff({ block_id, from_version: 1, to_version: 0 }), 'version-not-found');
});

test('[BT47] a history goes on through a split of the message and its undo', async () => {
  const world = await createToolWorld();
  const node = await world.say('left right');
  await world.say('reply', node);
  const block_id = (await world.state()).nodes.get(node)?.blocks[0]?.block_id ?? '';
  const split = await world.engine.forest.editNode(world.by(), world.root, { node, content: 'left', mode: 'split' });
  assert.ok(split.ok);
  assert.equal(await world.text(block_id), ' right');
  assert.ok((await world.engine.forest.undo(world.by(), world.root)).ok);
  const texts = [];
  for (const { version } of done(await world.tools.history({ block_id }))) {
    texts.push(done(await world.tools.read({ block_id, version, line_numbers: false })).content);
  }
  assert.deepEqual(texts, ['left right', ' right', 'left right']);
});
