import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { decideEditBlock } from '../editing/text/edit-block.ts';
import { decideEditNode } from '../editing/text/edit-node.ts';
import { decideFork } from '../editing/copying/fork.ts';
import { decideBookmark } from '../editing/marks.ts';
import { decideMerge } from '../editing/copying/merge.ts';
import { decideMove } from '../editing/move.ts';
import { decideRemove } from '../editing/remove.ts';
import { anyHistory, anySpeech, growRoot, pickNode } from '../testing/arbitrary-roots.ts';
import { visibleState, wholeState } from '../testing/observation.ts';
import { assertRefused, assistant, calling, result, TestRoot, user } from '../testing/test-root.ts';
import { isVisible } from '../../state/tree/tree.ts';
import { decideRedo, decideUndo } from './undo.ts';

function undo(root: TestRoot, agent = 'anna', change?: number) {
  return decideUndo(root.state, agent, change, root.editor);
}

function redo(root: TestRoot) {
  return decideRedo(root.state, 'anna', root.editor);
}

/** Starts a turn that answers a node; returns the seq of the change. */
function startTurn(root: TestRoot, node: string): number {
  const start = { provider: 'p', model: 'm', settings: {}, tools: [], max_rounds: 1, holder: 'h' };
  return root.write([{ type: 'turn-started', turn: 't1', node, ...start }]);
}

/** Any one operation on any node, if it is possible there. */
const anyAction = fc.record({ what: fc.nat(7), at: fc.nat(), target: fc.nat(), text: anySpeech });

function act(
  root: TestRoot,
  { what, at, target, text }: { what: number; at: number; target: number; text: string },
): void {
  const { state, editor } = root;
  const node = pickNode(root, at) ?? state.id;
  const parent = pickNode(root, target) ?? state.id;
  const block = state.nodes.get(node)?.blocks[0]?.block_id ?? '';
  const decisions = [
    () => decideEditNode(state, 'anna', { node, content: text, mode: 'split' }, editor),
    () => decideEditNode(state, 'anna', { node, content: text, mode: 'sibling' }, editor),
    () => decideEditNode(state, 'anna', { node, content: text, mode: 'in-place' }, editor),
    () => decideRemove(state, 'anna', { node, children: 'remove' }),
    () => decideRemove(state, 'anna', { node, children: 'reparent' }),
    () => decideMove(state, 'anna', { node, parent }),
    () => decideMerge(state, 'anna', { node }, editor),
    () => decideFork(state, 'anna', { block }),
  ];
  const decision = decisions[what]?.();
  if (decision?.ok === true && decision.ops.length > 0) root.write(decision.ops);
}

/** A text that was cut and joined again has lost its units: the undo of an older edit of it is an edit, and its redo a unit's undo. */
const undoneByEdit: [[], { what: number; at: number; target: number; text: string }[]] = [
  [],
  [
    { what: 0, at: 0, target: 0, text: 'ba' },
    { what: 0, at: 3, target: 0, text: '😀a' },
    { what: 1, at: 2, target: 0, text: '' },
    { what: 3, at: 0, target: 2, text: '' },
    { what: 0, at: 0, target: 0, text: '😀é' },
  ],
];

test('[FR90] changes are taken back one after the other, down to the first, and done again up to the last', () => {
  fc.assert(
    fc.property(anyHistory, fc.array(anyAction, { minLength: 1, maxLength: 8 }), (history, actions) => {
      const root = growRoot(history);
      const states = [visibleState(root.state)];
      for (const action of actions) {
        const { seq } = root.state;
        act(root, action);
        if (root.state.seq > seq) states.push(visibleState(root.state));
      }
      for (const state of states.slice(0, -1).reverse()) {
        root.done(undo(root));
        assert.deepEqual(visibleState(root.state), state);
      }
      for (const state of states.slice(1)) {
        root.done(redo(root));
        assert.deepEqual(visibleState(root.state), state);
      }
      if (states.length > 1) root.done(undo(root));
      assert.deepEqual(visibleState(root.state), states.at(-2) ?? states[0]);
      assert.deepEqual(wholeState(root.reload()), wholeState(root.state));
    }),
    { numRuns: 150, examples: [undoneByEdit] },
  );
});

test('[FR90] a block that an undo or redo touches gets a version that it never had', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('one', 'two'));
  root.append(node, assistant('yes'));
  const [one = '', two = ''] = root.node(node).blocks.flatMap(({ block_id: id }) => id ?? []);
  const content = ['one', 't'].map((text) => ({ type: 'text' as const, text }));
  const left = root.done(decideEditNode(root.state, 'anna', { node, content, mode: 'split' }, root.editor)).node;
  const copies = root.node(left).blocks.flatMap(({ block_id: id }) => id ?? []);
  const highest = new Map<string, number>([[one, 1], [two, 2], ...copies.map((id) => [id, 1] as const)]);
  const raised = (ids: readonly string[]): void => {
    for (const id of ids) {
      const version = root.state.block(id)?.version ?? 0;
      assert.ok(version > (highest.get(id) ?? 0), `${id} has version ${version}`);
      highest.set(id, version);
    }
  };
  for (let round = 0; round < 3; round += 1) {
    root.done(undo(root));
    raised([one, two]);
    root.done(redo(root));
    raised([two, ...copies]);
  }
});

test('[FR91] an undo is a change of its own, by default of the last thing that the same agent did', () => {
  const root = new TestRoot();
  const anna = root.append('root-1', user('by anna'));
  root.write([{ type: 'node-changed', node: anna, set: { title: 'by bert' } }], 'bert');
  const { seq } = root.state;
  assert.deepEqual(root.done(undo(root, 'bert'), 'bert'), { undone: seq });
  assert.equal(root.node(anna).title, undefined);
  assert.deepEqual(root.done(undo(root)), { undone: seq - 1 });
  assert.equal(isVisible(root.state, anna), false);
  assert.equal(root.state.seq, seq + 2);
});

test('[FR92] an undo is refused once the nodes concerned were altered or have gained children that are there', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('a'));
  const { seq } = root.state;
  const child = root.append(node, assistant('b'));
  assertRefused(undo(root, 'anna', seq), 'changed-since', { ids: [node] });
  root.done(decideRemove(root.state, 'anna', { node: child, children: 'remove' }));
  root.done(undo(root, 'anna', seq));
  root.done(redo(root));
  root.done(decideEditNode(root.state, 'anna', { node, content: 'other' }, root.editor));
  assertRefused(undo(root, 'anna', seq), 'nothing-to-undo');
});

test('[FR92] an edit in place is not undone below the feet of an answer', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('a'));
  root.done(decideEditNode(root.state, 'anna', { node, content: 'b' }, root.editor));
  const { seq } = root.state;
  root.append(node, assistant('answer'));
  assertRefused(undo(root, 'anna', seq), 'changed-since', { ids: [node] });
});

test('[FR93] an undo never moves a node below itself, to a place that is gone, or away from a call', () => {
  const root = new TestRoot();
  const [a, b] = ['a', 'b'].map((text) => root.append('root-1', user(text)));
  const moved = root.append(a ?? '', user('moved'));
  const below = root.append(moved, user('below'));
  root.done(decideMove(root.state, 'anna', { node: moved, parent: b ?? '' }));
  const { seq } = root.state;
  root.done(decideMove(root.state, 'anna', { node: a ?? '', parent: below }));
  assertRefused(undo(root, 'anna', seq), 'changed-since');
  root.done(undo(root));
  root.done(decideRemove(root.state, 'anna', { node: a ?? '', children: 'remove' }));
  assertRefused(undo(root, 'anna', seq), 'changed-since', { ids: [a ?? ''] });
  root.done(undo(root));
  root.done(undo(root));
  const call = root.append('root-1', calling('x', 'c1'));
  root.done(decideMove(root.state, 'anna', { node: moved, parent: call }));
  const second = root.state.seq;
  root.append(below, result('c1'));
  assertRefused(undo(root, 'anna', second), 'changed-since');
});

test('[FR93] an undo does not hide what a bookmark protects', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('a'));
  root.done(decideBookmark(root.state, 'bert', { node, title: 'keep' }), 'bert');
  assertRefused(undo(root), 'bookmarked', { nodes: [node] });
});

test('[FR93] what is done again hides nothing but what it hides itself: a bookmark below a merged message is no obstacle', () => {
  const root = new TestRoot();
  const first = root.append('root-1', user('one'));
  const second = root.append(first, user('two'));
  const below = root.append(second, assistant('three'));
  root.done(decideMerge(root.state, 'anna', { node: second }, root.editor));
  const merged = visibleState(root.state);
  root.done(undo(root));
  root.done(decideBookmark(root.state, 'bert', { node: below, title: 'keep' }), 'bert');
  root.done(redo(root));
  root.done(decideBookmark(root.state, 'bert', { node: below, title: null }), 'bert');
  assert.deepEqual(visibleState(root.state), merged);
  root.done(undo(root));
  root.done(decideBookmark(root.state, 'bert', { node: first, title: 'keep' }), 'bert');
  assertRefused(redo(root), 'bookmarked', { nodes: [first] });
});

test('[FR93] while a turn answers a message, an edit of that message is not undone', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('what is'));
  root.done(decideEditNode(root.state, 'anna', { node, content: 'what was' }, root.editor));
  startTurn(root, node);
  assertRefused(undo(root), 'turn-live', { turns: ['t1'] });
  root.write([{ type: 'turn-ended', turn: 't1', reason: 'aborted' }]);
  root.done(undo(root));
});

test('[FR93] an undo does not delete a root that a bookmark protects', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('a'));
  root.write([{ type: 'root-changed', deleted: true }]);
  root.write([{ type: 'root-changed', deleted: false }]);
  root.done(decideBookmark(root.state, 'bert', { node, title: 'keep' }), 'bert');
  assertRefused(undo(root), 'bookmarked', { nodes: [node] });
});

test('[FR94] what was undone cannot be undone again, nor a change that does not change the tree', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('a'));
  const { seq } = root.state;
  root.done(undo(root));
  assertRefused(undo(root, 'anna', seq), 'nothing-to-undo');
  assertRefused(undo(root, 'carl'), 'nothing-to-undo');
  const turn = startTurn(root, node);
  assertRefused(undo(root, 'anna', turn), 'nothing-to-undo');
  const streamed = root.write([{ type: 'node-changed', node, set: { title: 't' } }], 'anna', 't1');
  assertRefused(undo(root, 'anna', streamed), 'nothing-to-undo');
});

test('[FR95] after something new there is nothing to do again', () => {
  const root = new TestRoot();
  root.append('root-1', user('a'));
  assertRefused(redo(root), 'nothing-to-undo');
  root.done(undo(root));
  root.append('root-1', user('b'));
  assertRefused(redo(root), 'nothing-to-undo');
});

test('[FR96] the last 1,000 changes can be undone', () => {
  const root = new TestRoot();
  for (let count = 0; count < 1001; count += 1) root.append('root-1', user(`${count}`));
  assertRefused(undo(root, 'anna', 2), 'nothing-to-undo');
  root.done(undo(root, 'anna', 3));
});

test("[FR97] thinking is its model's own again, with its prefix, once every edit of it was undone, in any order", () => {
  const thoughts = (root: TestRoot) => root.node('root-1/node-2').blocks[0];
  for (const order of [
    [1, 0],
    [0, 1],
  ]) {
    const root = thinkingRoot();
    const generated = thoughts(root);
    const block = generated?.block_id ?? '';
    const edits = ['hm, so', 'well, hm, so'].map((text) => {
      root.done(decideEditBlock(root.state, 'anna', { block, text }, root.editor));
      assert.equal(thoughts(root)?.prefix, undefined);
      return root.state.seq;
    });
    for (const index of order) root.done(undo(root, 'anna', edits[index]));
    assert.deepEqual({ ...thoughts(root), version: 1 }, { ...generated, version: 1 });
    root.done(redo(root));
    assert.equal(thoughts(root)?.prefix, undefined);
    assert.deepEqual(wholeState(root.reload()), wholeState(root.state));
  }
});

test("[FR97] thinking whose content was replaced is not its model's any more, until that is undone", () => {
  const root = thinkingRoot();
  const [generated] = root.node('root-1/node-2').blocks;
  const block = generated?.block_id ?? '';
  const content = { type: 'thinking' as const, text: 'hm' };
  root.done(decideEditBlock(root.state, 'anna', { block, content }, root.editor));
  assert.equal(root.node('root-1/node-2').blocks[0]?.prefix, undefined);
  root.done(undo(root));
  assert.deepEqual({ ...root.node('root-1/node-2').blocks[0], version: 1 }, { ...generated, version: 1 });
});

/** A question and an answer with thinking, as a turn leaves them. */
function thinkingRoot(): TestRoot {
  const root = new TestRoot();
  const parent = root.append('root-1', user('why?'));
  const source = { type: 'model' as const, provider: 'p', model_name: 'm', parameters: {} };
  const thinking = {
    type: 'thinking' as const,
    text: 'hm',
    block_id: 'root-1/@m/1',
    prefix: 'abc',
    provider: { p: { signature: 's' } },
  };
  const said = { type: 'text' as const, text: 'because', block_id: 'root-1/@m/2', prefix: 'def' };
  const node = { id: 'root-1/node-2', parent, role: 'assistant' as const, blocks: [thinking, said], source };
  root.write([{ type: 'node-added', node }], 'm', 't0');
  return root;
}
