import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { decideEditNode } from './text/edit-node.ts';
import { decideMove } from './move.ts';
import { anyHistory, growRoot, pickNode } from '../testing/arbitrary-roots.ts';
import { contextOf, leafContexts, visibleState, wholeState } from '../testing/observation.ts';
import { assertRefused, assistant, calling, result, TestRoot, user } from '../testing/test-root.ts';
import { isAtOrBelow, liveChildren, pathTo } from '../../state/tree/tree.ts';

test('[FR60] a subtree is moved within its root; leaves elsewhere are not affected; undone', () => {
  fc.assert(
    fc.property(anyHistory, fc.nat(), fc.nat(), fc.boolean(), (history, number, target, toRoot) => {
      const root = growRoot(history);
      const { state } = root;
      const node = pickNode(root, number);
      const parent = toRoot ? state.id : pickNode(root, target);
      fc.pre(node !== undefined && parent !== undefined && root.node(node).parent !== parent);
      const [leaves, before] = [leafContexts(state), visibleState(state)];
      const decision = decideMove(state, 'anna', { node, parent });
      if (isAtOrBelow(state, parent, node)) return assertRefused(decision, 'invalid-params');
      fc.pre(decision.ok);
      root.done(decision);
      assert.equal(root.node(node).parent, parent);
      for (const [leaf, context] of leaves) {
        if (!isAtOrBelow(state, leaf, node)) assert.deepEqual(contextOf(state, leaf), context, leaf);
      }
      for (const leaf of leafContexts(state).keys()) assertPaired(root, leaf);
      assert.deepEqual(wholeState(root.reload()), wholeState(state));
      root.undo();
      assert.deepEqual(visibleState(state), before);
    }),
    { numRuns: 100 },
  );
});

/** Every result has its call above it. */
function assertPaired(root: TestRoot, leaf: string): void {
  const calls = new Set<string>();
  for (const { blocks, tool_call_id: answers } of pathTo(root.state, leaf)) {
    if (answers !== undefined) assert.ok(calls.has(answers), answers);
    for (const block of blocks) if (block.type === 'tool-use') calls.add(block.id);
  }
}

test('[FR61] a node is not moved below itself, nor to a place that is not there', () => {
  const root = new TestRoot();
  const top = root.append('root-1', user('a'));
  const leaf = root.append(top, assistant('b'));
  assertRefused(decideMove(root.state, 'anna', { node: top, parent: leaf }), 'invalid-params');
  assertRefused(decideMove(root.state, 'anna', { node: top, parent: top }), 'invalid-params');
  assertRefused(decideMove(root.state, 'anna', { node: top, parent: 'root-1/node-9' }), 'node-not-found');
  assert.deepEqual(decideMove(root.state, 'anna', { node: leaf, parent: top }), {
    ok: true,
    ops: [],
    value: { node: leaf },
  });
});

test('[FR62] a result does not lose its call, however deep below the moved node it is', () => {
  const root = new TestRoot();
  const call = root.append('root-1', user('q'), calling('x', 'c1', 'c2'));
  const first = root.append(call, result('c1'));
  const second = root.append(first, result('c2'));
  const other = root.append('root-1', user('other'));
  assertRefused(decideMove(root.state, 'anna', { node: first, parent: other }), 'results-need-calls', {
    results: [first, second],
  });
  root.done(decideMove(root.state, 'anna', { node: call, parent: other }));
  const copy = root.append('root-1', calling('y', 'c2'));
  root.done(decideMove(root.state, 'anna', { node: second, parent: copy }));
});

test('[FR63] a moved node continues nothing any more', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('one two'));
  root.append(node, assistant('yes'));
  root.done(decideEditNode(root.state, 'anna', { node, content: 'one', mode: 'split' }, root.editor));
  root.done(decideMove(root.state, 'anna', { node, parent: 'root-1' }));
  assert.equal(root.node(node).continues, undefined);
});

test('[FR64] children stay in the order of their ids, wherever they come from', () => {
  const root = new TestRoot();
  const ids = Array.from({ length: 11 }, (_, index) => root.append('root-1', user(`${index}`)));
  const parent = ids[5] ?? '';
  for (const index of [10, 0, 3]) root.done(decideMove(root.state, 'anna', { node: ids[index] ?? '', parent }));
  const children = liveChildren(root.state, parent).map(({ id }) => id);
  assert.deepEqual(children, [ids[0], ids[3], ids[10]]);
});

test('[FR65] nothing is moved while a turn runs inside, nor below a node that a turn is writing', () => {
  const root = new TestRoot();
  const node = root.append('root-1', user('a'));
  const other = root.append('root-1', user('b'));
  const start = { provider: 'p', model: 'm', settings: {}, tools: [], max_rounds: 1, holder: 'h' };
  const written = { id: 'root-1/node-3', parent: node, role: 'assistant' as const, blocks: [], turn: 't1' };
  root.write([
    { type: 'turn-started', turn: 't1', node, ...start },
    { type: 'node-added', node: { ...written, source: { type: 'user' } } },
  ]);
  assertRefused(decideMove(root.state, 'anna', { node, parent: other }), 'turn-live', { turns: ['t1'] });
  assertRefused(decideMove(root.state, 'anna', { node: 'root-1/node-3', parent: other }), 'turn-live', {
    turns: ['t1'],
  });
  assertRefused(decideMove(root.state, 'anna', { node: other, parent: 'root-1/node-3' }), 'turn-live', {
    turns: ['t1'],
  });
});

test('[FR120] a node that has lost its last child is as if it had never had one, as it is after a snapshot', () => {
  const root = new TestRoot();
  const parent = root.append('root-1', user('a'));
  const child = root.append(parent, user('b'));
  root.done(decideMove(root.state, 'anna', { node: child, parent: 'root-1' }));
  assert.equal(root.state.children.has(parent), false);
  assert.deepEqual(root.state.children.get('root-1'), [parent, child]);
});
