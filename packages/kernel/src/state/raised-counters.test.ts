import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestRoot, user } from '../forest/testing/test-root.ts';
import { rootSnapshots } from '../snapshot/root-snapshot.ts';

test('[LO11] [LO20] raised counters hold for nodes, for agents that have written and for those that have not', () => {
  const root = new TestRoot();
  root.append('root-1', user('one'));
  root.write([{ type: 'counters-raised', node: 500, blocks: { bob: 70 }, others: 40 }]);
  const { put } = rootSnapshots('root-1').dump(root.state, 0);
  const loaded = rootSnapshots('root-1').load(put) ?? assert.fail('it is not whole');
  for (const state of [root.state, root.reload(), loaded]) {
    assert.equal(state.newNodeId(), 'root-1/node-501');
    const ids = ['anna', 'bob', 'cyd'].map((agent) => state.newBlockId(agent));
    assert.deepEqual(ids, ['root-1/@anna/41', 'root-1/@bob/71', 'root-1/@cyd/41']);
  }
  root.write([{ type: 'counters-raised', node: 3, blocks: {}, others: 0 }]);
  assert.equal(root.state.newNodeId(), 'root-1/node-502', 'they never go back');
});
