import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { diffBranches } from '../../forest/reading/branch-diff.ts';
import { decideEditBlock } from '../../forest/editing/text/edit-block.ts';
import { decideEditNode } from '../../forest/editing/text/edit-node.ts';
import { decideMove } from '../../forest/editing/move.ts';
import { recentLeaves, siblingsOf, subtree, topology } from './queries.ts';
import { decideRemove } from '../../forest/editing/remove.ts';
import { anyHistory, growRoot } from '../../forest/testing/arbitrary-roots.ts';
import { assistant, calling, result, TestRoot, user } from '../../forest/testing/test-root.ts';
import { isVisible, liveChildren, pathTo } from './tree.ts';

function idsOf(nodes: readonly { id: string }[]): string[] {
  return nodes.map(({ id }) => id);
}

test('[FR100] paths, children and siblings leave tombstones out', () => {
  const root = new TestRoot();
  const top = root.append('root-1', user('a'));
  const [one, two, three] = ['1', '2', '3'].map((text) => root.append(top, assistant(text)));
  root.done(decideRemove(root.state, 'anna', { node: two ?? '', children: 'remove' }));
  assert.deepEqual(idsOf(pathTo(root.state, three ?? '')), [top, three]);
  assert.deepEqual(idsOf(liveChildren(root.state, top)), [one, three]);
  assert.deepEqual(idsOf(siblingsOf(root.state, one ?? '')), [one, three]);
  assert.deepEqual(idsOf(siblingsOf(root.state, top)), [top]);
  assert.deepEqual(siblingsOf(root.state, 'root-1/node-9'), []);
});

test('[FR101] recent leaves come in the order of their last activity, the newest first', () => {
  const root = new TestRoot();
  const top = root.append('root-1', user('a'));
  const [one = '', two = '', three = ''] = ['1', '2', '3'].map((text) => root.append(top, assistant(text)));
  assert.deepEqual(idsOf(recentLeaves(root.state, 2)), [three, two]);
  const block = root.node(one).blocks[0]?.block_id ?? '';
  root.done(decideEditBlock(root.state, 'anna', { block, text: 'edited' }, root.editor));
  assert.deepEqual(idsOf(recentLeaves(root.state, 9)), [one, three, two]);
  root.done(decideRemove(root.state, 'anna', { node: one, children: 'remove' }));
  assert.deepEqual(idsOf(recentLeaves(root.state, 9)), [three, two]);
});

test('[FR101] recent leaves are exactly the visible nodes without visible children', () => {
  fc.assert(
    fc.property(anyHistory, (history) => {
      const { state } = growRoot(history);
      const leaves = subtree(state, state.id).filter(({ id }) => liveChildren(state, id).length === 0);
      assert.deepEqual(new Set(idsOf(recentLeaves(state, 1000))), new Set(idsOf(leaves)));
    }),
    { numRuns: 60 },
  );
});

test('[FR102] a subtree lists parents before children, in the order of ids, to a depth', () => {
  const root = new TestRoot();
  const a = root.append('root-1', user('a'));
  const b = root.append(a, assistant('b'));
  const c = root.append(b, user('c'));
  const d = root.append(a, assistant('d'));
  assert.deepEqual(idsOf(subtree(root.state, a)), [a, b, c, d]);
  assert.deepEqual(idsOf(subtree(root.state, a, 1)), [a, b, d]);
  assert.deepEqual(idsOf(subtree(root.state, 'root-1', 1)), [a]);
  assert.deepEqual(subtree(root.state, 'root-1/node-9'), []);
});

test('[FR102] a chain of 20,000 nodes does not overflow the stack', () => {
  const root = new TestRoot();
  root.append('root-1', ...Array.from({ length: 20_000 }, (_, index) => user(`${index}`)));
  assert.equal(subtree(root.state, 'root-1').length, 20_000);
  assert.ok(isVisible(root.state, 'root-1/node-20000'));
});

test('[FR103] the topology has ids, parents and roles, and nothing that was said', () => {
  const root = new TestRoot();
  const a = root.append('root-1', user('a'));
  const b = root.append(a, assistant('b'));
  assert.deepEqual(topology(root.state), [
    { id: a, parent: 'root-1', role: 'user' },
    { id: b, parent: a, role: 'assistant' },
  ]);
});

test('[FR104] two branches are compared block by block from where they part', () => {
  const root = new TestRoot();
  const top = root.append('root-1', user('q'));
  const left = root.append(top, assistant('first', 'same'), user('more'));
  const right = root.append(top, assistant('other', 'same'), user('more'), calling('x', 'c1'), result('c1'));
  const diff = diffBranches(root.state, left, right);
  assert.deepEqual([diff.ancestor, diff.left.length, diff.right.length], [top, 2, 4]);
  assert.deepEqual(
    diff.blocks.map(({ type }) => type),
    ['changed', 'same', 'same', 'only-right', 'only-right', 'only-right'],
  );
  assert.deepEqual(diffBranches(root.state, left, left), { ancestor: left, left: [], right: [], blocks: [] });
  assert.equal(diffBranches(root.state, left, root.append('root-1', user('elsewhere'))).ancestor, 'root-1');
});

test('[FR104] a comparison leaves no block out, keeps both orders, and calls the same what is the same', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1, maxLength: 10 });
  fc.assert(
    fc.property(words, words, (a, b) => {
      const root = new TestRoot();
      const [left, right] = [
        root.append('root-1', user('x'), user(...a)),
        root.append('root-1', user('y'), user(...b)),
      ];
      const { blocks } = diffBranches(root.state, left, right);
      const texts = (side: 'left' | 'right') =>
        blocks.flatMap((entry) => {
          const placed: unknown = Reflect.get(entry, side);
          return placed === undefined ? [] : [JSON.stringify(placed).match(/"text":"(\w)"/)?.[1]];
        });
      assert.deepEqual(
        [texts('left'), texts('right')],
        [
          ['x', ...a],
          ['y', ...b],
        ],
      );
      for (const entry of blocks) {
        if (entry.type !== 'same') continue;
        const [one, other] = [entry.left.block, entry.right.block];
        assert.ok(one.type === 'text' && other.type === 'text' && one.text === other.text);
      }
    }),
    { numRuns: 60 },
  );
});

test('[FR105] whether a node is visible is the same as a walk to the root would find, whatever happened', () => {
  const step = fc.tuple(fc.constantFrom('remove', 'restore', 'move', 'look', 'edit'), fc.nat(), fc.nat());
  fc.assert(
    fc.property(anyHistory, fc.array(step, { maxLength: 20 }), (history, steps) => {
      const root = growRoot(history);
      const { state } = root;
      for (const [what, number, target] of steps) {
        const ids = [...state.nodes.keys()];
        const [node = '', parent = ''] = [ids[number % ids.length], ids[target % ids.length]];
        if (what === 'remove') root.write([{ type: 'node-removed', node }]);
        if (what === 'restore') root.write([{ type: 'node-restored', node }]);
        const decision =
          what === 'move'
            ? decideMove(state, 'anna', { node, parent })
            : decideEditNode(state, 'anna', { node, content: 'ab', mode: 'split' }, root.editor);
        if ((what === 'move' || what === 'edit') && decision.ok && decision.ops.length > 0) root.write(decision.ops);
        if (what === 'look') isVisible(state, node);
        for (const id of state.nodes.keys()) {
          assert.equal(
            isVisible(state, id),
            pathTo(state, id).every(({ deleted }) => deleted !== true),
            id,
          );
        }
        const seen = subtree(state, state.id);
        assert.equal(
          state.index.visibleCount(() => seen),
          seen.length,
        );
      }
    }),
    { numRuns: 60 },
  );
});
