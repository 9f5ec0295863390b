import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { textsOf } from './block-plan.ts';
import { decideEditNode } from './edit-node.ts';
import type { EditNodeValue } from './edit-node.ts';
import { decideMarkNode } from '../marks.ts';
import { anyHistory, anyPhrase, anySpeech, growRoot, pickNode } from '../../testing/arbitrary-roots.ts';
import { contextOf, contextOfPath, leafContexts, visibleState, wholeState } from '../../testing/observation.ts';
import { assertRefused, assistant, calling, result, testEditor, TestRoot, user } from '../../testing/test-root.ts';
import { pathTo } from '../../../state/tree/tree.ts';

type How = EditNodeValue['how'];

function decide(root: TestRoot, node: string, ...texts: string[]) {
  const content = texts.map((text) => ({ type: 'text' as const, text }));
  return decideEditNode(root.state, 'anna', { node, content, mode: 'split' }, root.editor);
}

function edit(root: TestRoot, node: string, ...texts: string[]): EditNodeValue {
  return root.done(decide(root, node, ...texts));
}

/** The texts that a node holds now. */
function said(root: TestRoot, node: string): string[] {
  return textsOf(root.node(node).blocks);
}

/** A conversation whose first message has an answer. */
function answered(...texts: string[]): { root: TestRoot; node: string; leaf: string } {
  const root = new TestRoot();
  const node = root.append('root-1', user(...texts));
  return { root, node, leaf: root.append(node, assistant('yes')) };
}

/** Does an edit on any tree and checks what every cell of the table promises, the undo included. */
function checkEdit(root: TestRoot, id: string, texts: string[], how: How): void {
  const { state } = root;
  const [leaves, before, node, path] = [leafContexts(state), visibleState(state), root.node(id), pathTo(state, id)];
  const value = edit(root, id, ...texts);
  assert.equal(value.how, how);
  for (const [leaf, context] of leaves) {
    if (!(how === 'in-place' && leaf === id)) assert.deepEqual(contextOf(state, leaf), context, leaf);
  }
  const marked = path.some(({ exclude }) => exclude !== undefined);
  if (!marked && node.role !== 'tool' && node.blocks.every(({ type }) => type === 'text')) {
    const wanted = { ...node, blocks: texts.map((text) => ({ type: 'text' as const, text })) };
    assert.deepEqual(contextOf(state, value.node), contextOfPath([...path.slice(0, -1), wanted]));
  }
  assert.deepEqual(wholeState(root.reload()), wholeState(state));
  if (how === 'unchanged') return;
  root.undo();
  assert.deepEqual(visibleState(state), before);
  assert.deepEqual(wholeState(root.reload()), wholeState(state));
}

/** Runs a property over nodes of any tree: those of text alone that have children, unless told otherwise. */
function overNodes(
  property: (root: TestRoot, node: string, phrase: string, cut: number) => void,
  fits: (root: TestRoot, id: string) => boolean = isBranchable,
): void {
  fc.assert(
    fc.property(anyHistory, fc.nat(), anyPhrase, fc.nat(), (history, number, phrase, cut) => {
      const root = growRoot(history);
      const node = pickNode(root, number, (id) => fits(root, id));
      fc.pre(node !== undefined);
      property(root, node, phrase, cut);
    }),
    { numRuns: 60 },
  );
}

function isBranchable(root: TestRoot, id: string): boolean {
  const { role, blocks } = root.node(id);
  return root.state.index.liveChildCount(id) > 0 && role !== 'tool' && blocks.every(({ type }) => type === 'text');
}

/** Places where a text may be cut. */
function safeCuts(text: string): number[] {
  const cuts: number[] = [];
  for (let offset = 1; offset < text.length; offset += 1) {
    const around = text.slice(offset - 1, offset + 1);
    if (
      around !== '\r\n' &&
      around.isWellFormed() === text.slice(offset).isWellFormed() &&
      text.slice(offset).isWellFormed()
    ) {
      cuts.push(offset);
    }
  }
  return cuts;
}

test('[FR20] an unchanged text leaves everything as it is', () => {
  overNodes((root, id) => {
    const { seq } = root.state;
    checkEdit(root, id, said(root, id), 'unchanged');
    assert.equal(root.state.seq, seq);
  });
});

test('[FR21] a leaf is edited in place, and undone', () => {
  overNodes(
    (root, id, phrase) => {
      const [first = '', ...rest] = said(root, id);
      checkEdit(root, id, [`x${first}${phrase}`, ...rest], 'in-place');
      checkEdit(root, id, [`${phrase}y`], said(root, id).join('\n') === `${phrase}y` ? 'unchanged' : 'in-place');
      checkEdit(root, id, [first, 'new', phrase, ...rest], 'in-place');
    },
    (root, id) => root.state.index.liveChildCount(id) === 0,
  );
});

test('[FR21] [FR30] an edit in place keeps the ids of blocks, and those that are not text', () => {
  const root = new TestRoot();
  const leaf = root.append('root-1', user('q'), calling('I look', 'c1'));
  const [text, call] = root.node(leaf).blocks;
  edit(root, leaf, 'I look it up');
  const after = root.node(leaf).blocks;
  assert.deepEqual(
    after.map(({ block_id: id }) => id),
    [text?.block_id, call?.block_id],
  );
  assert.deepEqual([said(root, leaf), after[0]?.version, after[1]], [['I look it up'], 2, call]);
});

test('[FR30] the edit of a text is one splice of what differs, under the client id that was handed in', () => {
  const root = new TestRoot();
  const leaf = root.append('root-1', user('one 😀 three'));
  const decision = decideEditNode(root.state, 'anna', { node: leaf, content: 'one 😃 three' }, testEditor(77));
  assert.ok(decision.ok);
  const [op] = decision.ops;
  assert.ok(op?.type === 'text' && op.update !== undefined);
  const { update: _update, ...rest } = op;
  assert.deepEqual(rest, {
    type: 'text',
    block: 'root-1/@anna/1',
    splices: [{ at: 4, delete: 2, insert: '😃' }],
    unit: 'edit-3',
    client: 77,
  });
  assert.deepEqual(decision.value, { node: leaf, how: 'in-place' });
});

test('[FR30] texts are added and removed where they differ, and the others keep their blocks', () => {
  const root = new TestRoot();
  const leaf = root.append('root-1', user('a', 'b', 'c'));
  const [a, , c] = root.node(leaf).blocks;
  edit(root, leaf, 'a', 'c');
  assert.deepEqual(
    [said(root, leaf), root.node(leaf).blocks],
    [
      ['a', 'c'],
      [a, c],
    ],
  );
  edit(root, leaf, 'a', 'x', 'y', 'c');
  assert.deepEqual([said(root, leaf), root.node(leaf).blocks.at(-1)], [['a', 'x', 'y', 'c'], c]);
  const calls = root.append('root-1', {
    role: 'assistant',
    content: [{ type: 'tool-use', id: 'c1', name: 'f', parameters: {} }],
  });
  edit(root, calls, 'first');
  assert.deepEqual(
    root.node(calls).blocks.map(({ type }) => type),
    ['text', 'tool-use'],
  );
});

test('[FR22] a longer text goes on in a new child of the same role, and undoes', () => {
  const { root, node } = answered('hel');
  assert.deepEqual(edit(root, node, 'hello'), { node: 'root-1/node-3', how: 'extension' });
  const { parent, role, continues, blocks } = root.node('root-1/node-3');
  assert.deepEqual([parent, role, continues, textsOf(blocks)], [node, 'user', true, ['lo']]);
  overNodes((any, id, phrase) => {
    const texts = said(any, id);
    checkEdit(any, id, [...texts.slice(0, -1), `${texts.at(-1)}${phrase}`], 'extension');
    checkEdit(any, id, [...texts, `more ${phrase}`], 'extension');
  });
});

test('[FR22] blanks that continue another text are part of it, and may go on with blanks', () => {
  const { root, node } = answered('hello\r\n');
  edit(root, node, 'hello');
  assert.deepEqual(said(root, node), ['\r\n']);
  checkEdit(root, node, ['\r\n\r'], 'extension');
  checkEdit(root, node, ['\n'], 'sibling');
  assertRefused(decide(root, node, ''), 'empty-message');
});

test('[FR23] a shorter text is cut off, the left half answers, and undoes', () => {
  const { root, node, leaf } = answered('hello world');
  assert.deepEqual(edit(root, node, 'hello'), { node: 'root-1/node-3', how: 'truncation' });
  assert.deepEqual([said(root, 'root-1/node-3'), said(root, node)], [['hello'], [' world']]);
  assert.deepEqual([root.node(leaf).parent, root.node(node).parent], [node, 'root-1/node-3']);
  overNodes((any, id, _phrase, number) => {
    const texts = said(any, id);
    const cuts = safeCuts(texts.at(-1) ?? '');
    fc.pre(cuts.length > 0);
    const shorter = (texts.at(-1) ?? '').slice(0, cuts[number % cuts.length]);
    fc.pre([...texts.slice(0, -1), shorter].some((text) => /\S/.test(text)));
    checkEdit(any, id, [...texts.slice(0, -1), shorter], 'truncation');
  });
});

test('[FR24] a text that parts from the old one makes a split and a sibling of the rest, and undoes', () => {
  const { root, node } = answered('hello world');
  assert.deepEqual(edit(root, node, 'hello there'), { node: 'root-1/node-4', how: 'divergence' });
  const { parent, continues, blocks } = root.node('root-1/node-4');
  assert.deepEqual([parent, continues, textsOf(blocks)], ['root-1/node-3', true, ['there']]);
  assert.deepEqual(
    [said(root, 'root-1/node-3'), said(root, node), root.node(node).continues],
    [['hello '], ['world'], true],
  );
  overNodes((any, id, phrase, number) => {
    const texts = said(any, id);
    const cuts = safeCuts(texts.at(-1) ?? '');
    fc.pre(cuts.length > 0);
    const start = (texts.at(-1) ?? '').slice(0, cuts[number % cuts.length]);
    checkEdit(any, id, [...texts.slice(0, -1), `${start}§${phrase}`], 'divergence');
  });
});

test('[FR25] with nothing in common the new text is a sibling, and undoes', () => {
  overNodes((root, id, phrase) => {
    const { parent, continues } = root.node(id);
    checkEdit(root, id, [`§${phrase}`], 'sibling');
    const { node } = edit(root, id, `§${phrase}`);
    assert.deepEqual([root.node(node).parent, root.node(node).continues], [parent, continues]);
  });
});

test('[FR26] a node with children and other blocks than text, or of a tool, gets a sibling, and undoes', () => {
  overNodes(
    (root, id, phrase) => checkEdit(root, id, [...said(root, id), phrase, 'x'], 'sibling'),
    (root, id) => root.state.index.liveChildCount(id) > 0 && !isBranchable(root, id),
  );
});

test('[FR26] the sibling takes copies of the other blocks along, but no calls', () => {
  const root = new TestRoot();
  const shown = root.append('root-1', {
    role: 'user',
    content: [
      { type: 'text', text: 'look' },
      { type: 'image', media_type: 'image/png', url: 'u' },
    ],
  });
  const answer = root.append(shown, calling('I see', 'c1'));
  const tool = root.append(answer, result('c1'));
  root.append(tool, assistant('done'));
  const blocksOf = (node: string) => root.node(node).blocks.map(({ type, from }) => [type, from?.block]);
  assert.deepEqual(blocksOf(edit(root, shown, 'look here').node), [
    ['text', undefined],
    ['image', root.node(shown).blocks[1]?.block_id],
  ]);
  assert.deepEqual(blocksOf(edit(root, answer, 'I saw').node), [['text', undefined]]);
  const other = root.node(edit(root, tool, '').node);
  assert.deepEqual([other.tool_call_id, other.source, textsOf(other.blocks)], ['c1', root.node(tool).source, ['']]);
});

test('[FR27] a text is never cut inside a code point, nor between the two characters of a line end', () => {
  for (const [old, fresh, left] of [
    ['a😀', 'a😃', 'a'],
    ['a😀b', 'a', 'a'],
    ['a\r\nb', 'a\rb', 'a'],
    ['a\rb', 'a\r\nb', 'a'],
    ['a\r\nb', 'a\r', 'a'],
    ['a\r\nb', 'a\r\nc', 'a\r\n'],
  ] as const) {
    const { root, node } = answered(old);
    edit(root, node, fresh);
    assert.deepEqual(said(root, root.node(node).parent), [left], JSON.stringify([old, fresh]));
  }
  overNodes((root, id, phrase) => {
    edit(root, id, `${said(root, id).join('').slice(0, 3).toWellFormed()}${phrase}x`);
    for (const { blocks } of root.state.nodes.values()) {
      for (const text of textsOf(blocks)) assert.ok(text.isWellFormed());
    }
  });
});

test('[FR28] between whole blocks nothing is joined: the halves stay blocks of their own', () => {
  const { root, node, leaf } = answered('one', 'two', 'three');
  const before = contextOf(root.state, leaf);
  const ids = root.node(node).blocks.map(({ block_id: id }) => id);
  const { node: left } = edit(root, node, 'one');
  assert.deepEqual(
    [said(root, left), said(root, node), root.node(node).continues],
    [['one'], ['two', 'three'], undefined],
  );
  assert.deepEqual(root.node(left).blocks[0]?.from, { block: ids[0], version: 1 });
  assert.deepEqual(
    root.node(node).blocks.map(({ block_id: id, version }) => [id, version]),
    [
      [ids[1], 1],
      [ids[2], 1],
    ],
  );
  assert.deepEqual(contextOf(root.state, leaf), before);
});

test('[FR28] a half between whole blocks that says nothing is not cut off', () => {
  for (const [old, fresh] of [
    [['a', ' '], ['a']],
    [
      [' ', 'b'],
      [' ', 'c'],
    ],
    [['a'], ['a', '\n']],
  ] as const) {
    const { root, node } = answered(...old);
    assert.equal(edit(root, node, ...fresh).how, 'sibling', JSON.stringify([old, fresh]));
  }
});

test('[FR29] whatever the new text, the context of every former leaf stays as it was', () => {
  fc.assert(
    fc.property(anyHistory, fc.nat(), fc.array(anySpeech, { minLength: 1, maxLength: 3 }), (history, number, texts) => {
      const root = growRoot(history);
      const id = pickNode(root, number, (node) => root.state.index.liveChildCount(node) > 0);
      fc.pre(id !== undefined);
      const decision = decide(root, id, ...texts);
      if (decision.ok) checkEdit(root, id, texts, decision.value.how);
    }),
    { numRuns: 150 },
  );
});

test('[FR31] the new id takes the left half, the place and the marks; the old one keeps block, history, children and usage', () => {
  const root = new TestRoot();
  const usage = { input_tokens: 1, output_tokens: 2 };
  const source = { type: 'model' as const, provider: 'p', model_name: 'm', parameters: {}, usage };
  const node = root.append('root-1', user('q'), assistant('good answer'));
  root.write([{ type: 'node-changed', node, set: { source } }]);
  root.done(
    decideMarkNode(root.state, 'anna', { node, title: 't', tags: ['x'], context_start: true, custom_data: { k: 1 } }),
  );
  const child = root.append(node, user('next'));
  const { parent, blocks } = root.node(node);
  const { node: left } = edit(root, node, 'good');
  const { usage: _usage, ...bare } = source;
  const { touched: _touched, blocks: leftBlocks, ...rest } = root.node(left);
  assert.deepEqual(rest, {
    id: left,
    parent,
    role: 'assistant',
    source: bare,
    time: root.node(node).time,
    title: 't',
    tags: ['x'],
    context_start: true,
    split_source: node,
  });
  assert.deepEqual(leftBlocks[0]?.from, { block: blocks[0]?.block_id, version: 1 });
  const right = root.node(node);
  assert.deepEqual(
    [right.source, right.custom_data, right.title, right.context_start],
    [source, { k: 1 }, undefined, undefined],
  );
  assert.deepEqual([right.blocks[0]?.block_id, right.blocks[0]?.version], [blocks[0]?.block_id, 2]);
  assert.equal(root.node(child).parent, node);
});

test('[FR32] a text that says nothing, a missing node and one that is being written are refused', () => {
  const { root, node } = answered('hello');
  assertRefused(decide(root, node, ' \n'), 'empty-message');
  assertRefused(decide(root, 'root-1/node-9', 'x'), 'node-not-found');
  root.write([
    {
      type: 'node-added',
      node: {
        id: 'root-1/node-9',
        parent: node,
        role: 'assistant',
        blocks: [{ type: 'text', text: 'so far', status: 'running', block_id: 'root-1/@m/1' }],
        source: { type: 'user' },
      },
    },
  ]);
  assertRefused(decide(root, 'root-1/node-9', 'x'), 'bad-status');
});

test('[FR34] a message with other blocks may lose its text: calls alone are a message', () => {
  const root = new TestRoot();
  const question = root.append('root-1', user('q'));
  const call = root.append(question, calling('I look', 'c1'));
  checkEdit(root, call, [''], 'in-place');
  edit(root, call, '');
  assert.deepEqual(
    root.node(call).blocks.map(({ type }) => type),
    ['tool-use'],
  );
  assert.equal(edit(root, call, ' ').how, 'unchanged');
  root.undo();
  root.append(call, result('c1'));
  assertRefused(decide(root, call, ''), 'empty-message');
  const shown = root.append(question, {
    role: 'assistant',
    content: [
      { type: 'text', text: 'see' },
      { type: 'code', content: '1' },
    ],
  });
  root.append(shown, user('thanks'));
  assert.deepEqual(
    root.node(edit(root, shown, '').node).blocks.map(({ type }) => type),
    ['code'],
  );
});

test('[FR38] a message that a turn is answering is not edited in place, even before the first word', () => {
  for (const [fresh, how] of [
    ['What is that, please?', 'divergence'],
    ['Why?', 'divergence'],
    ['How?', 'sibling'],
    ['What', 'truncation'],
    ['What is this? Say it', 'extension'],
  ] as const) {
    const root = new TestRoot();
    const node = root.append('root-1', user('What is this?'));
    const turn = { provider: 'p', model: 'm', settings: {}, tools: [], max_rounds: 1, holder: 'h' };
    root.write([{ type: 'turn-started', turn: 't1', node, ...turn }]);
    assert.equal(edit(root, node, fresh).how, how);
    assert.deepEqual(contextOf(root.state, node), [
      { role: 'user', content: [{ type: 'text', text: 'What is this?' }] },
    ]);
    root.write([{ type: 'turn-ended', turn: 't1', reason: 'aborted' }]);
  }
});

test('[FR32] lone surrogates and NUL in a new text become U+FFFD', () => {
  const root = new TestRoot();
  const leaf = root.append('root-1', user('hello'));
  edit(root, leaf, 'a\ud83d\0');
  assert.deepEqual(said(root, leaf), ['a\uFFFD\uFFFD']);
});

test('[FR33] what a node below hides stays hidden when its block is cut or copied', () => {
  const { root, node, leaf } = answered('secret', 'hello world');
  const [secret, hello] = root.node(node).blocks.flatMap(({ block_id: id }) => id ?? []);
  root.done(decideMarkNode(root.state, 'anna', { node: leaf, exclude: [secret ?? ''] }));
  const later = root.append(leaf, user('next'));
  root.done(decideMarkNode(root.state, 'anna', { node: later, exclude: [hello ?? ''] }));
  const before = [contextOf(root.state, leaf), contextOf(root.state, later)];
  const left = edit(root, node, 'secret', 'hello you').node;
  assert.deepEqual([contextOf(root.state, leaf), contextOf(root.state, later)], before);
  edit(root, root.node(left).parent, 'secret', 'hell');
  assert.deepEqual([contextOf(root.state, leaf), contextOf(root.state, later)], before);
});
