import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { textsOf } from '../text/block-plan.ts';
import { decideEditNode } from '../text/edit-node.ts';
import { decideBookmark, decideMarkNode } from '../marks.ts';
import { decideMerge } from './merge.ts';
import { anyHistory, growRoot, pickNode } from '../../testing/arbitrary-roots.ts';
import { contextOf, leafContexts, visibleState, wholeState } from '../../testing/observation.ts';
import { assertRefused, assistant, calling, TestRoot, user } from '../../testing/test-root.ts';
import { isVisible } from '../../../state/tree/tree.ts';

function merge(root: TestRoot, node: string) {
  return decideMerge(root.state, 'anna', { node }, root.editor);
}

test('[FR70] a node takes its parent in: it keeps id and children and hangs at the grandparent', () => {
  const root = new TestRoot();
  const top = root.append('root-1', assistant('top'));
  const parent = root.append(top, user('one', 'two'));
  const node = root.append(parent, user('three'));
  const child = root.append(node, assistant('yes'));
  const ids = root.node(parent).blocks.map(({ block_id: id }) => id);
  root.done(merge(root, node));
  const merged = root.node(node);
  assert.deepEqual(
    [merged.parent, textsOf(merged.blocks), root.node(child).parent],
    [top, ['one', 'two', 'three'], node],
  );
  assert.deepEqual(
    merged.blocks.map(({ from }) => from?.block),
    [...ids, undefined],
  );
  assert.equal(isVisible(root.state, parent), false);
});

test('[FR71] halves of a text become one text again, in the block of the right half', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('one two'));
  root.append(node, assistant('yes'));
  const block = root.node(node).blocks[0]?.block_id;
  root.done(decideEditNode(root.state, 'anna', { node, content: 'one', mode: 'split' }, root.editor));
  root.done(merge(root, node));
  const merged = root.node(node);
  assert.deepEqual(
    [textsOf(merged.blocks), merged.blocks[0]?.block_id, merged.continues],
    [['one two'], block, undefined],
  );
});

test('[FR72] a parent with other children stays for them', () => {
  const root = new TestRoot();
  const parent = root.append('root-1', user('one'));
  const other = root.append(parent, assistant('other'));
  const node = root.append(parent, user('two'));
  const before = contextOf(root.state, other);
  root.done(merge(root, node));
  assert.ok(isVisible(root.state, parent));
  assert.deepEqual(contextOf(root.state, other), before);
});

test('[FR73] a merge changes the context of no leaf, not even of those below, and is undone', () => {
  let merged = 0;
  fc.assert(
    fc.property(anyHistory, fc.nat(), (history, number) => {
      const root = growRoot(history);
      const { state } = root;
      const node = pickNode(root, number, (id) => merge(root, id).ok);
      fc.pre(node !== undefined);
      merged += 1;
      const [leaves, before, contexts] = [leafContexts(state), visibleState(state), contextOf(state, node)];
      root.done(merge(root, node));
      for (const [leaf, context] of leaves) assert.deepEqual(contextOf(state, leaf), context, leaf);
      assert.deepEqual(contextOf(state, node), contexts);
      assert.deepEqual(wholeState(root.reload()), wholeState(state));
      root.undo();
      assert.deepEqual(visibleState(state), before);
    }),
    { numRuns: 80 },
  );
  assert.ok(merged >= 80);
});

test('[FR73] what a node below hides of the parent stays hidden after the merge', () => {
  const root = new TestRoot();
  const parent = root.append('root-1', user('one', 'two'));
  const node = root.append(parent, user('three'));
  const leaf = root.append(node, assistant('yes'));
  const hidden = root.node(parent).blocks[0]?.block_id ?? '';
  root.done(decideMarkNode(root.state, 'anna', { node: leaf, exclude: [hidden] }));
  const before = contextOf(root.state, leaf);
  root.done(merge(root, node));
  assert.deepEqual(contextOf(root.state, leaf), before);
});

test('[FR74] only two messages of one role that hold nothing but text are merged', () => {
  const root = new TestRoot();
  const top = root.append('root-1', user('a'));
  assertRefused(merge(root, top), 'cannot-merge', { because: 'first-message' });
  assertRefused(merge(root, root.append(top, assistant('b'))), 'cannot-merge', { because: 'not-only-text' });
  const call = root.append(top, calling('c', 'c1'));
  assertRefused(merge(root, root.append(call, assistant('d'))), 'cannot-merge', { because: 'not-only-text' });
  assertRefused(merge(root, 'root-1/node-9'), 'node-not-found');
});

test('[FR75] a merge that would hide a bookmark, or show what was hidden, is refused', () => {
  const root = new TestRoot();
  const parent = root.append('root-1', user('one two'));
  root.append(parent, assistant('yes'));
  const left = root.done(
    decideEditNode(root.state, 'anna', { node: parent, content: 'one', mode: 'split' }, root.editor),
  ).node;
  root.done(decideBookmark(root.state, 'anna', { node: left, title: 'keep' }));
  assertRefused(merge(root, parent), 'bookmarked', { nodes: [left] });
  root.done(decideBookmark(root.state, 'anna', { node: left, title: null }));
  root.done(decideMarkNode(root.state, 'anna', { node: parent, context_start: true }));
  assertRefused(merge(root, parent), 'cannot-merge', { because: 'context-start' });
  const exclude = root.node(left).blocks.flatMap(({ block_id: id }) => id ?? []);
  root.done(decideMarkNode(root.state, 'anna', { node: parent, context_start: null, exclude }));
  assertRefused(merge(root, parent), 'cannot-merge', { because: 'half-hidden' });
});
