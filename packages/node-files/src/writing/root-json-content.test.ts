import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RootState } from '@loom/kernel';
import { RootCounters } from './root-json-content.ts';

test('[NW1] the numbers of a root are above those of its nodes and of the blocks of each agent; other ids have none', () => {
  const state = new RootState('root-1');
  const blocks = [
    'root-1/@anna/12',
    'root-1/@anna/7',
    'root-1/@a/b/3',
    'root-1/@bert/',
    'root-1/@bert/9x',
    'root-1/@bert/٣',
  ];
  for (const [index, id] of ['root-1/node-9', 'root-1/node-10', 'root-1/node-11x', 'root-1/node-', 'other'].entries()) {
    const content = index === 0 ? blocks : [];
    const nodeBlocks = content.map((block) => ({
      type: 'text' as const,
      text: 'x',
      block_id: block,
      status: 'done' as const,
    }));
    const node = { id, parent: 'root-1', role: 'user' as const, blocks: nodeBlocks, source: { type: 'user' as const } };
    state.apply({ seq: index + 1, time: 0, agent: 'anna', request: `${index}`, ops: [{ type: 'node-added', node }] });
  }
  assert.deepEqual(RootCounters.of(state).json(), { node: 11, blocks: { 'a/b': 4, anna: 13, bert: 1 } });
});
