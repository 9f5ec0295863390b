import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deniedBlock } from '@loom/blocks';
import type { MessageBlock, ToolUseBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { factOf, failureWords } from './tool-facts.ts';
import { callDuration, callState } from './tool-state.ts';
import { viewsOf } from './tool-views.ts';

const call = (more: Partial<ToolUseBlock> = {}): ToolUseBlock => ({
  type: 'tool-use',
  id: 'c',
  name: 'Bash',
  parameters: { command: 'ls' },
  ...more,
});
const result = (more: Partial<NodeState>, blocks: readonly MessageBlock[] = []): NodeState => ({
  id: 'r/2',
  parent: 'r/1',
  role: 'tool',
  tool_call_id: 'c',
  blocks,
  source: { type: 'tool_result', tool_name: 'Bash' },
  time: 0,
  touched: 0,
  ...more,
});

test('[WB22] where a call stands is read from it, from its result and from whether its turn goes on', () => {
  const state = (answer: Partial<NodeState> | undefined, isLive = true, more: Partial<ToolUseBlock> = {}) =>
    callState(call(more), answer === undefined ? undefined : result(answer), isLive);
  assert.equal(state(undefined, true, { status: 'running' }), 'writing');
  assert.equal(state(undefined), 'queued');
  assert.equal(state(undefined, false), 'not-run');
  assert.equal(state({ tool: 'waiting' }), 'queued');
  assert.equal(state({ tool: 'waiting' }, false), 'not-run');
  assert.equal(state({ tool: 'waiting', ask: { kind: 'ask', preview: [] } }), 'waiting');
  assert.equal(
    state({ tool: 'waiting', ask: { kind: 'ask', preview: [] } }, false),
    'waiting',
    'without a process, too',
  );
  assert.equal(state({ tool: 'running' }), 'running');
  assert.equal(state({ tool: 'result' }), 'done');
  assert.equal(state({}), 'done', 'imported results have no state');
  assert.equal(state({ is_error: true }), 'failed');
  assert.equal(state({ tool: 'error' }), 'failed');
  assert.equal(state({ tool: 'denied' }), 'denied');
  assert.equal(state({ tool: 'interrupted' }), 'interrupted');
  assert.equal(callState(call(), result({ is_error: true }, [deniedBlock('no')]), false), 'denied');
});

test('[WB22] what came of a call is told shortly', () => {
  const fact = (blocks: readonly MessageBlock[], more: Partial<NodeState> = {}): unknown =>
    factOf(viewsOf(call(), result(more, blocks)));
  assert.deepEqual(fact([{ type: 'text', text: 'Exit code 2\nno' }], { is_error: true }), {
    kind: 'text',
    text: 'exit 2',
    isBad: true,
  });
  const diff = '--- a\n+++ a\n@@ -1,2 +1,1 @@\n-one\n-two\n+three\n';
  const change: MessageBlock = { type: 'file-change', changes: [{ path: 'a', kind: 'modify', diff }] };
  assert.deepEqual(fact([{ type: 'text', text: 'ok' }, change]), { kind: 'lines', added: 1, deleted: 2 });
  const todo: MessageBlock = {
    type: 'todo',
    items: [
      { content: 'a', status: 'completed' },
      { content: 'b', status: 'pending' },
    ],
  };
  assert.deepEqual(fact([todo]), { kind: 'text', text: '1 of 2', isBad: false });
  const code: MessageBlock = { type: 'code', content: 'a\nb\n', start_line: 41, total_lines: 214 };
  assert.deepEqual(fact([code]), { kind: 'text', text: '41–42 of 214', isBad: false });
  assert.equal(failureWords('Error: no such file.\nstack'), 'no such file');
  assert.equal(failureWords('x'.repeat(80)), 'failed');
});

test('[WB22] a call took as long as its command says, else as its node', () => {
  assert.equal(callDuration(result({}, [{ type: 'command', command: 'ls', duration_ms: 12 }])), 12);
  const times = { started_at: '2026-01-01T00:00:00.000Z', ended_at: '2026-01-01T00:00:01.500Z' };
  assert.equal(callDuration(result(times)), 1500);
  assert.equal(callDuration(result({ started_at: times.started_at })), undefined);
  assert.equal(callDuration(result({ started_at: times.ended_at, ended_at: times.started_at })), undefined);
});
