import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { decideFork } from './fork.ts';
import { decideMarkNode } from '../marks.ts';
import { anyHistory, growRoot, pickNode } from '../../testing/arbitrary-roots.ts';
import { contextOf, leafContexts, visibleState, wholeState } from '../../testing/observation.ts';
import { assertRefused, assistant, calling, result, TestRoot, user } from '../../testing/test-root.ts';
import { pathTo } from '../../../state/tree/tree.ts';

function blockOf(root: TestRoot, node: string, index: number): string {
  return root.node(node).blocks[index]?.block_id ?? '';
}

/** A call of two tools, both answered, and what the model said then. */
function twoCalls(): { root: TestRoot; call: string; results: string[]; leaf: string } {
  const root = new TestRoot();
  const call = root.append('root-1', user('q'), calling('I look', 'A', 'B'));
  const first = root.append(call, result('A', 'result of A'));
  const second = root.append(first, result('B', 'result of B'));
  return { root, call, results: [first, second], leaf: root.append(second, assistant('done')) };
}

test('[FR40] a fork between blocks is a sibling with copies of those before', () => {
  const { root, call } = twoCalls();
  const { node, tip } = root.done(decideFork(root.state, 'anna', { block: blockOf(root, call, 0) }));
  assert.equal(node, tip);
  const { parent, blocks } = root.node(node);
  assert.equal(parent, root.node(call).parent);
  assert.deepEqual(
    blocks.map(({ type, from, version }) => [type, from, version]),
    [['text', { block: blockOf(root, call, 0), version: 1 }, 1]],
  );
});

test('[FR41] results of the calls that come along are copied below the fork, in order', () => {
  const { root, call, results } = twoCalls();
  const fork = root.done(decideFork(root.state, 'anna', { block: blockOf(root, call, 1) }));
  assert.equal(root.node(fork.tip).parent, fork.node);
  assert.deepEqual(contextOf(root.state, fork.tip).slice(0, -2), contextOf(root.state, call).slice(0, -1));
  const copied = root.node(fork.tip);
  assert.deepEqual([copied.tool_call_id, copied.blocks[0]?.from?.block], ['A', blockOf(root, results[0] ?? '', 0)]);
  assert.equal(copied.turn, undefined);
  const whole = root.append('root-1', {
    role: 'assistant',
    content: [
      { type: 'tool-use', id: 'A', name: 'f', parameters: {} },
      { type: 'tool-use', id: 'B', name: 'f', parameters: {} },
      { type: 'text', text: 'and more' },
    ],
  });
  const last = root.append(whole, result('B', 'b'), result('A', 'a'));
  const both = root.done(decideFork(root.state, 'anna', { block: blockOf(root, whole, 1) }));
  const answered = (id: string) => pathTo(root.state, id).flatMap(({ tool_call_id: answers }) => answers ?? []);
  assert.deepEqual(answered(both.tip), answered(last));
});

test('[FR42] after the last block the node itself goes on, below its results', () => {
  const { root, call, results } = twoCalls();
  const decision = decideFork(root.state, 'anna', { block: blockOf(root, call, 2) });
  assert.deepEqual(decision, { ok: true, ops: [], value: { node: call, tip: results[1] } });
});

test('[FR43] a fork changes no context, shows what its original shows, and is undone', () => {
  fc.assert(
    fc.property(anyHistory, fc.nat(), fc.nat(), (history, number, place) => {
      const root = growRoot(history);
      const { state } = root;
      const node = pickNode(root, number, (id) => root.node(id).blocks.length > 1);
      fc.pre(node !== undefined);
      const { blocks, parent } = root.node(node);
      const index = place % (blocks.length - 1);
      const [leaves, before] = [leafContexts(state), visibleState(state)];
      const fork = root.done(decideFork(state, 'anna', { block: blockOf(root, node, index) }));
      for (const [leaf, context] of leaves) assert.deepEqual(contextOf(state, leaf), context);
      assert.equal(root.node(fork.node).parent, parent);
      assert.deepEqual(
        root.node(fork.node).blocks.map(({ from }) => from?.block),
        blocks.slice(0, index + 1).map(({ block_id: id }) => id),
      );
      assert.deepEqual(wholeState(root.reload()), wholeState(state));
      root.undo();
      assert.deepEqual(visibleState(state), before);
    }),
    { numRuns: 60 },
  );
});

test('[FR43] what was hidden of the original is hidden of the copies', () => {
  const { root, call, results } = twoCalls();
  const [first = ''] = results;
  root.done(decideMarkNode(root.state, 'anna', { node: first, exclude: [blockOf(root, call, 0)] }));
  const fork = root.done(decideFork(root.state, 'anna', { block: blockOf(root, call, 1) }));
  assert.deepEqual(root.node(fork.tip).exclude, [root.node(fork.node).blocks[0]?.block_id]);
});

test('[FR44] a block that is not there cannot be forked from', () => {
  assertRefused(decideFork(new TestRoot().state, 'anna', { block: 'root-1/@anna/1' }), 'block-not-found');
});
