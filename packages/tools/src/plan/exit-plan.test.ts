import assert from 'node:assert/strict';
import { test } from 'node:test';
import { contextWith, runTool, testToolContract } from '@loom/providers/testing';
import { exitPlan } from './exit-plan.ts';

const parameters = { plan: '1. Read\n2. Write' };
const invocation = { id: 'c', name: 'exit_plan', parameters, arguments: JSON.stringify(parameters) };
const context = (approvalMode?: 'plan' | 'edit') => ({
  ...contextWith(new AbortController().signal),
  ...(approvalMode === undefined ? {} : { approvalMode }),
});

testToolContract('exit_plan', () => exitPlan, { samples: [parameters], isHarmless: true });

test('[AG4] in plan mode a person is shown the plan, and chooses the mode that follows', async () => {
  const prepared = await exitPlan.prepare(invocation, context('plan'));
  assert.deepEqual(prepared, {
    permission: 'ask',
    preview: [{ type: 'text', text: parameters.plan }],
    modes: ['ask', 'edit', 'sandbox'],
  });
  const { content } = await runTool(exitPlan, invocation, context('edit'));
  assert.match(JSON.stringify(content), /approved: carry it out\. Changes in the folder need no/u);
});

test('[AG4] in other modes, and without a plan, it is denied with what to do', async () => {
  assert.equal((await exitPlan.prepare(invocation, context())).permission, 'deny');
  const empty = { ...invocation, parameters: { plan: ' ' } };
  assert.equal((await exitPlan.prepare(empty, context('plan'))).permission, 'deny');
});
