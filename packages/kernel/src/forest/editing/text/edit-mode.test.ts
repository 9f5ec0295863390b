import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { textsOf } from './block-plan.ts';
import { decideEditNode } from './edit-node.ts';
import type { EditMode } from './edit-node.ts';
import { decideMarkNode } from '../marks.ts';
import { joinParts, lastPart, messagesOf, partsUpTo } from './message-parts.ts';
import { anyHistory, anySpeech, growRoot, pickNode } from '../../testing/arbitrary-roots.ts';
import { contextOf, leafContexts, visibleState, wholeState } from '../../testing/observation.ts';
import { assertRefused, assistant, calling, result, TestRoot, user } from '../../testing/test-root.ts';
import { pathTo } from '../../../state/tree/tree.ts';

function decide(root: TestRoot, node: string, content: string, mode?: EditMode) {
  const params = mode === undefined ? { node, content } : { node, content, mode };
  return decideEditNode(root.state, 'anna', params, root.editor);
}

/** Makes a conversation with a message, its answer and the messages after it. */
function conversation(text: string): { root: TestRoot; node: string; leaf: string } {
  const root = new TestRoot();
  const node = root.append('root-1', user(text));
  return { root, node, leaf: root.append(node, assistant('yes'), user('thanks')) };
}

/** A message that was cut: `hello ` and `world`, with an answer below `world`. */
function cutMessage(): { root: TestRoot; left: string; right: string; leaf: string } {
  const { root, node, leaf } = conversation('hello world');
  const { node: left } = root.done(decide(root, node, 'hello ', 'split'));
  return { root, left, right: node, leaf };
}

test('[FR39] a message that something follows gets a sibling with the whole new text; the old one stays as it is', () => {
  const { root, node, leaf } = conversation('hello world');
  root.done(decideMarkNode(root.state, 'anna', { node, title: 'greeting', tags: ['a'], context_start: true }));
  const [before, context] = [root.node(node), contextOf(root.state, leaf)];
  for (const text of ['hello world!', 'hello', 'hello there', 'good morning']) {
    const { node: fresh, how } = root.done(decide(root, node, text));
    assert.equal(how, 'sibling');
    const { parent, title, tags, context_start, continues, blocks } = root.node(fresh);
    assert.deepEqual(
      [parent, title, tags, context_start, continues, textsOf(blocks)],
      ['root-1', undefined, undefined, true, undefined, [text]],
    );
  }
  assert.equal(root.node(node), before);
  assert.deepEqual(contextOf(root.state, leaf), context);
});

test('[FR39] asked for, a leaf gets a sibling too', () => {
  const { root, leaf } = conversation('hello');
  assert.equal(root.done(decide(root, leaf, 'thank you', 'sibling')).how, 'sibling');
  assert.deepEqual(textsOf(root.node(leaf).blocks), ['thanks']);
});

test('[FR39] whatever is edited, a sibling alters no node that was there, and is undone', () => {
  fc.assert(
    fc.property(anyHistory, fc.nat(), anySpeech, (history, number, text) => {
      const root = growRoot(history);
      const id = pickNode(root, number);
      fc.pre(id !== undefined);
      const [nodes, before, leaves] = [new Map(root.state.nodes), visibleState(root.state), leafContexts(root.state)];
      const decision = decide(root, id, text, 'sibling');
      fc.pre(decision.ok && decision.ops.length > 0);
      const { node } = root.done(decision);
      for (const [old, state] of nodes) assert.equal(root.node(old), state);
      for (const [leaf, context] of leaves) assert.deepEqual(contextOf(root.state, leaf), context);
      const [head] = partsUpTo(root.state, root.node(id));
      assert.equal(root.node(node).parent, head?.parent);
      assert.ok(textsOf(root.node(node).blocks).includes(text));
      assert.deepEqual(wholeState(root.reload()), wholeState(root.state));
      root.undo();
      assert.deepEqual(visibleState(root.state), before);
    }),
    { numRuns: 100 },
  );
});

test('[FR38] [FR39] a message that a turn is answering gets a sibling, before the first word too', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('What is this?'));
  const turn = { provider: 'p', model: 'm', settings: {}, tools: [], max_rounds: 1, holder: 'h' };
  root.write([{ type: 'turn-started', turn: 't1', node, ...turn }]);
  assert.equal(root.done(decide(root, node, 'What is that?')).how, 'sibling');
  assert.deepEqual(textsOf(root.node(node).blocks), ['What is this?']);
});

test('[FR45] in place a text is changed under what follows it, with ids and other blocks kept, and undone', () => {
  const root = new TestRoot();
  const call = root.append('root-1', user('q'), calling('I look', 'c1'));
  const leaf = root.append(call, result('c1'), assistant('done'));
  const ids = root.node(call).blocks.map(({ block_id: id }) => id);
  assert.deepEqual(root.done(decide(root, call, 'I look it up', 'in-place')), { node: call, how: 'in-place' });
  assert.deepEqual(textsOf(root.node(call).blocks), ['I look it up']);
  assert.deepEqual(
    root.node(call).blocks.map(({ block_id: id }) => id),
    ids,
  );
  assert.equal(pathTo(root.state, leaf).length, 4);
  assertRefused(decide(root, pathTo(root.state, leaf)[0]?.id ?? '', ' ', 'in-place'), 'empty-message');
  root.undo();
  assert.deepEqual(textsOf(root.node(call).blocks), ['I look']);
});

test('[FR46] a message that was cut is one message to who edits it: a sibling replaces all of it', () => {
  const { root, left, right, leaf } = cutMessage();
  root.done(decideMarkNode(root.state, 'anna', { node: right, context_start: true }));
  const context = contextOf(root.state, leaf);
  assert.equal(root.done(decide(root, right, 'hello world')).how, 'unchanged');
  const { node, how } = root.done(decide(root, right, 'hello moon'));
  const { parent, continues, context_start, blocks } = root.node(node);
  assert.deepEqual(
    [how, parent, continues, context_start, textsOf(blocks)],
    ['sibling', root.node(left).parent, undefined, true, ['hello moon']],
  );
  assert.deepEqual(contextOf(root.state, leaf), context);
});

test('[FR46] at a leaf, too, what goes on where another text was cut is not edited by itself', () => {
  const { root, left, right } = cutMessage();
  const { node: other } = root.done(decide(root, left, 'hello moon', 'split'));
  assert.equal(root.node(other).continues, true);
  const { node, how } = root.done(decide(root, other, 'hello sun'));
  assert.deepEqual([how, textsOf(root.node(node).blocks)], ['sibling', ['hello sun']]);
  assert.deepEqual([textsOf(root.node(other).blocks), textsOf(root.node(right).blocks)], [['moon'], ['world']]);
});

test('[FR46] a path is read as messages, whole again where they were cut', () => {
  const { root, left, right, leaf } = cutMessage();
  const messages = messagesOf(pathTo(root.state, leaf));
  assert.deepEqual(
    messages.map((parts) => textsOf(joinParts(parts))),
    [['hello world'], ['yes'], ['thanks']],
  );
  assert.deepEqual(
    messages[0]?.map(({ id }) => id),
    [left, right],
  );
  assert.equal(lastPart(root.state, root.node(left)).id, right);
  root.done(decide(root, left, 'hello moon', 'split'));
  assert.equal(lastPart(root.state, root.node(left)).id, left, 'it goes on in two ways');
});
