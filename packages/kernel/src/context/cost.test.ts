import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costOf, costOfChange, pathTo } from '@loom/kernel';
import type { NodeState, PrefixHead, RootState } from '@loom/kernel';
import { assistant, TestRoot, user } from '../forest/testing/test-root.ts';
import { testHash } from '../testing/world.ts';

const head: PrefixHead = { provider: 'scripted', model: 'one', tools: [] };
const headOf = () => head;

/** A chain with a branch of one message off each node. */
function makeSpine(depth: number): RootState {
  const root = new TestRoot();
  let parent = 'root-1';
  for (let level = 0; level < depth; level += 1) {
    const say = level % 2 === 0 ? user : assistant;
    parent = root.append(parent, say(`message ${level}`));
    root.append(parent, user(`branch ${level}`));
  }
  return root.state;
}

function editFirst(state: RootState): { before: NodeState; after: NodeState } {
  const before = state.nodes.get('root-1/node-1');
  if (before === undefined) throw new Error('there is no first node');
  return { before, after: { ...before, blocks: [{ type: 'text', text: 'something else' }] } };
}

test('[CX6] what a change costs is given for every branch that goes through it, the most recent first', () => {
  const state = makeSpine(20);
  const change = editFirst(state);
  const { costs, unseen } = costOfChange(state, { ...change, headOf }, testHash);
  const leaves = [...state.index.leaves.newestFirst()];
  assert.equal(unseen, 0);
  assert.deepEqual(
    costs,
    leaves.map((leaf) => {
      const [, ...below] = pathTo(state, leaf);
      const [before, after] = [change.before, change.after].map((first) => ({ path: [first, ...below], head }));
      assert.ok(before !== undefined && after !== undefined);
      return costOf(leaf, before, after, testHash);
    }),
  );
  assert.equal(costOfChange(state, { ...change, headOf: () => undefined }, testHash).costs.length, 0);
  assert.deepEqual(costOfChange(state, { ...change, after: change.before, headOf }, testHash).costs, []);
});

test('[CX10] older branches are left out once the paths of recent ones have so many nodes, and counted', () => {
  const state = makeSpine(300);
  let hashed = 0;
  const hash = { hex: (text: string) => `${(hashed += 1)} ${text.length}` };
  const { costs, unseen } = costOfChange(state, { ...editFirst(state), headOf }, hash, 1000);
  assert.deepEqual([costs.length, unseen], [4, 300 - 4]);
  assert.ok(hashed < 2 * 4 * 310, `${hashed} hashes were made`);
  assert.equal(costOfChange(state, { ...editFirst(state), headOf }, hash, 0).unseen, 299, 'one is always looked at');
});
