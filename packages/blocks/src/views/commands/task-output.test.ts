import assert from 'node:assert/strict';
import { test } from 'node:test';
import { viewsOfToolResult } from '../tool-views.ts';

test('[VW26] what a command in the background has printed is shown by what the command is known by', () => {
  const call = { name: 'TaskOutput', parameters: { task_id: 'b1' } };
  const task = { task_id: 'b1', task_type: 'local_bash', status: 'running', description: 'Run tests', output: 'ok' };
  assert.deepEqual(viewsOfToolResult(call, { text: '…', native: { retrieval_status: 'timeout', task } }), [
    {
      type: 'command',
      command: 'Run tests',
      stdout: 'ok',
      metadata: { basis: 'title', task_id: 'b1', running: true },
    },
  ]);
  const agent = { ...task, task_type: 'local_agent' };
  assert.deepEqual(viewsOfToolResult(call, { text: '…', native: { task: agent } }), []);
});

test('[VW26] what was typed into a command of Codex is shown with what it printed', () => {
  const text = 'Wall time: 0.5 seconds\nProcess exited with code 0\nOutput:\nhello\n';
  const shown = (chars: string) =>
    viewsOfToolResult({ name: 'write_stdin', parameters: { session_id: 7, chars } }, { text });
  const run = { stdout: 'hello\n', exit_code: 0, duration_ms: 500, metadata: { basis: 'title', session_id: 7 } };
  assert.deepEqual(shown('exit\n'), [{ type: 'command', command: 'exit', ...run }]);
  assert.deepEqual(shown(''), [{ type: 'command', command: 'session 7', ...run }]);
  assert.deepEqual(viewsOfToolResult({ name: 'write_stdin', parameters: {} }, { text: 'no such session' }), []);
});
