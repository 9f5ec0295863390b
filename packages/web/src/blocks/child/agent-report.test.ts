import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeState } from '@loom/kernel';
import { reportOf } from './agent-report.ts';

const result = (...texts: string[]): NodeState => ({
  id: 'r/2',
  parent: 'r/1',
  role: 'tool',
  blocks: texts.map((text) => ({ type: 'text', text })),
  source: { type: 'tool_result', tool_name: 'Task' },
  time: 0,
  touched: 0,
});

test('[WB387] a report is what the sub-agent said, without what its program adds below', () => {
  const added = 'agentId: a1b2 (for resuming to continue this agent’s work if needed)\n<usage>total_tokens: 9</usage>';
  assert.equal(reportOf(result('# Found\n\nTwo.', added)), '# Found\n\nTwo.');
  assert.equal(reportOf(result(`Two.\n${added}`)), 'Two.');
  assert.equal(reportOf(result('The agentId: is a field.\n\nDone.')), 'The agentId: is a field.\n\nDone.');
  assert.equal(reportOf(result(added)), undefined);
  assert.equal(reportOf(undefined), undefined);
});
