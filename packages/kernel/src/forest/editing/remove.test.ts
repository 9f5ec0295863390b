import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { decideEditNode } from './text/edit-node.ts';
import { decideBookmark } from './marks.ts';
import { decideRemove, decideRemoveChildren, decideRemoveSiblings, decideRestore } from './remove.ts';
import type { RemoveValue } from './remove.ts';
import { anyHistory, growRoot, pickNode } from '../testing/arbitrary-roots.ts';
import { contextOf, leafContexts, visibleState, wholeState } from '../testing/observation.ts';
import { assertRefused, assistant, calling, result, TestRoot, user } from '../testing/test-root.ts';
import { isAtOrBelow, isVisible } from '../../state/tree/tree.ts';

/** Deletes on any tree and checks that leaves elsewhere are shown the same as before, and that the undo restores all. */
function overTrees(remove: (root: TestRoot, node: string) => RemoveValue | undefined): void {
  fc.assert(
    fc.property(anyHistory, fc.nat(), fc.nat(), (history, number, marked) => {
      const root = growRoot(history);
      const { state } = root;
      const bookmark = pickNode(root, marked);
      if (bookmark !== undefined && marked % 3 === 0) {
        root.done(decideBookmark(state, 'anna', { node: bookmark, title: 'keep' }));
      }
      const node = pickNode(root, number);
      fc.pre(node !== undefined);
      const [leaves, before] = [leafContexts(state), visibleState(state)];
      const named = new Set([...leaves.keys()].filter((leaf) => isAtOrBelow(state, leaf, node)));
      const value = remove(root, node);
      fc.pre(value !== undefined && value.removed.length > 0);
      for (const [leaf, context] of leaves) {
        const below = value.removed.some((removed) => isAtOrBelow(state, leaf, removed));
        if (!below && !named.has(leaf)) assert.deepEqual(contextOf(state, leaf), context, leaf);
        if (below) assert.equal(isVisible(state, leaf), false);
      }
      for (const id of state.bookmarks.keys()) assert.ok(isVisible(state, id));
      assert.deepEqual(wholeState(root.reload()), wholeState(state));
      root.undo();
      assert.deepEqual(visibleState(state), before);
    }),
    { numRuns: 60 },
  );
}

function attempt(root: TestRoot, node: string, children: 'remove' | 'reparent'): RemoveValue | undefined {
  const decision = decideRemove(root.state, 'anna', { node, children });
  return decision.ok ? root.done(decision) : undefined;
}

test('[FR50] a node is deleted with everything below it; other leaves are not affected; undone', () => {
  overTrees((root, node) => attempt(root, node, 'remove'));
});

test('[FR51] a node is deleted alone and its children hang where it did; other leaves are not affected; undone', () => {
  overTrees((root, node) => {
    const { parent } = root.node(node);
    const children = (root.state.children.get(node) ?? []).filter((id) => root.node(id).deleted !== true);
    const value = attempt(root, node, 'reparent');
    if (value !== undefined) for (const id of children) assert.equal(root.node(id).parent, parent);
    return value;
  });
});

test('[FR51] what continued the deleted node continues what that one continued, or nothing', () => {
  const root = new TestRoot();
  const top = root.append('root-1', user('one two three'));
  root.append(top, assistant('yes'));
  const edit = (content: string) =>
    decideEditNode(root.state, 'anna', { node: top, content, mode: 'split' }, root.editor);
  const middle = root.done(edit('one two')).node;
  const first = root.done(
    decideEditNode(root.state, 'anna', { node: middle, content: 'one', mode: 'split' }, root.editor),
  ).node;
  root.done(decideRemove(root.state, 'anna', { node: middle, children: 'reparent' }));
  assert.deepEqual([root.node(top).parent, root.node(top).continues], [first, true]);
  root.done(decideRemove(root.state, 'anna', { node: first, children: 'reparent' }));
  assert.deepEqual([root.node(top).parent, root.node(top).continues], ['root-1', undefined]);
});

test('[FR52] a node whose calls are answered below is not deleted alone', () => {
  const root = new TestRoot();
  const call = root.append('root-1', calling('x', 'c1'));
  const answer = root.append(call, result('c1'));
  assertRefused(decideRemove(root.state, 'anna', { node: call, children: 'reparent' }), 'results-need-calls', {
    results: [answer],
  });
  root.append(answer, user('next'));
  root.done(decideRemove(root.state, 'anna', { node: answer, children: 'reparent' }));
});

test('[FR53] a bookmark at or below a node protects it', () => {
  const root = new TestRoot();
  const top = root.append('root-1', user('a'));
  const leaf = root.append(top, assistant('b'), user('c'));
  root.done(decideBookmark(root.state, 'anna', { node: leaf, title: 'keep' }));
  for (const children of ['remove', 'reparent'] as const) {
    assertRefused(decideRemove(root.state, 'anna', { node: top, children }), 'bookmarked', { nodes: [leaf] });
  }
  root.done(decideBookmark(root.state, 'anna', { node: leaf, title: null }));
  root.done(decideRemove(root.state, 'anna', { node: top, children: 'remove' }));
});

test('[FR54] children are deleted in one go, but for protected ones; undone', () => {
  overTrees((root, node) => root.done(decideRemoveChildren(root.state, 'anna', { node })));
  const root = new TestRoot();
  const [a, b, c] = ['a', 'b', 'c'].map((text) => root.append('root-1', user(text)));
  const deep = root.append(b ?? '', assistant('deep'));
  root.done(decideBookmark(root.state, 'anna', { node: deep, title: 'keep' }));
  assert.deepEqual(root.done(decideRemoveChildren(root.state, 'anna', { node: 'root-1' })), {
    removed: [a, c],
    kept: [b],
  });
});

test('[FR55] siblings are deleted in one go, but for protected ones and the node itself; undone', () => {
  overTrees((root, node) => {
    const value = root.done(decideRemoveSiblings(root.state, 'anna', { node }));
    assert.ok(isVisible(root.state, node));
    return value;
  });
});

test('[FR56] while a turn runs inside nothing is deleted, and the refusal names the turn', () => {
  const root = new TestRoot();
  const top = root.append('root-1', user('a'));
  const leaf = root.append(top, assistant('b'), user('c'));
  const other = root.append('root-1', user('other'));
  const start = { provider: 'p', model: 'm', settings: {}, tools: [], max_rounds: 1, holder: 'h' };
  root.write([{ type: 'turn-started', turn: 't1', node: leaf, ...start }]);
  assertRefused(decideRemove(root.state, 'anna', { node: top, children: 'remove' }), 'turn-live', { turns: ['t1'] });
  assertRefused(decideRemoveChildren(root.state, 'anna', { node: 'root-1' }), 'turn-live', { turns: ['t1'] });
  assertRefused(decideRemoveSiblings(root.state, 'anna', { node: other }), 'turn-live', { turns: ['t1'] });
  root.done(decideRemove(root.state, 'anna', { node: other, children: 'remove' }));
  root.write([{ type: 'turn-ended', turn: 't1', reason: 'done' }]);
  root.done(decideRemove(root.state, 'anna', { node: top, children: 'remove' }));
});

test('[FR57] a deleted node is restored with what was below it', () => {
  const root = new TestRoot();
  const top = root.append('root-1', user('a'));
  const leaf = root.append(top, assistant('b'));
  const before = visibleState(root.state);
  root.done(decideRemove(root.state, 'anna', { node: leaf, children: 'remove' }));
  root.done(decideRemove(root.state, 'anna', { node: top, children: 'remove' }));
  assertRefused(decideRestore(root.state, 'anna', { node: leaf }), 'node-deleted', { deleted: top });
  root.done(decideRestore(root.state, 'anna', { node: top }));
  assert.equal(isVisible(root.state, leaf), false);
  root.done(decideRestore(root.state, 'anna', { node: leaf }));
  assert.deepEqual(visibleState(root.state), before);
  assertRefused(decideRestore(root.state, 'anna', { node: 'root-1/node-9' }), 'node-not-found');
});

test('[FR58] the id of a deleted node is never used again', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('a'));
  root.done(decideRemove(root.state, 'anna', { node, children: 'remove' }));
  assert.equal(root.reload().newNodeId(), 'root-1/node-2');
  assert.equal(root.append('root-1', user('b')), 'root-1/node-2');
});
