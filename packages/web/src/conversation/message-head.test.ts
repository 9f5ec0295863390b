import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeState } from '@loom/kernel';
import { isSameButGrown, isSameHead } from './message-head.ts';

const answer: NodeState = {
  id: 'root-1/node-2',
  parent: 'root-1/node-1',
  role: 'assistant',
  blocks: [{ type: 'text', text: 'One', block_id: 'b1', version: 1, status: 'running' }],
  source: { type: 'model', provider: 'demo', model_name: 'demo', parameters: {} },
  time: 1,
  touched: 1,
};

test('[WB63] words that a model adds do not draw the head of its message again; everything else does', () => {
  const [block] = answer.blocks;
  assert.ok(block?.type === 'text');
  const grown = { ...block, text: 'One word', version: 2 };
  assert.ok(isSameHead(answer, { ...answer, blocks: [grown], touched: 2 }));
  assert.ok(isSameButGrown(block, grown));
  const others: NodeState[] = [
    { ...answer, title: 'Counting' },
    { ...answer, tags: ['numbers'] },
    { ...answer, blocks: [] },
    { ...answer, blocks: [block, { ...block, block_id: 'b2' }] },
    { ...answer, blocks: [{ ...block, block_id: 'b2' }] },
    { ...answer, source: { ...answer.source } },
  ];
  for (const other of others) assert.ok(!isSameHead(answer, other), JSON.stringify(other));
  assert.ok(!isSameHead(answer, undefined));
  assert.ok(!isSameButGrown(block, { ...grown, status: 'done' }));
  assert.ok(!isSameButGrown(block, { ...grown, block_id: 'b2' }));
});

test('[WB63] a message of a person is drawn again when it was edited', () => {
  const said: NodeState = { ...answer, role: 'user', source: { type: 'user' } };
  const edited = said.blocks.map((block) => ({ ...block, version: 2 }));
  assert.ok(!isSameHead(said, { ...said, blocks: edited, touched: 2 }));
});
