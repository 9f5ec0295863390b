import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ItemForest } from '../../foreign/testing/item-forest.ts';
import { createStreamReader } from './stream-reader.ts';
import type { StreamFact } from './stream-facts.ts';
import { noCaptures, readCaptures } from '../testing/captures.ts';

test('[CC34] the items among the facts of each line are those that an importer takes', { skip: noCaptures }, () => {
  for (const { name, stdout } of readCaptures()) {
    const lines = new TextDecoder().decode(stdout).split('\n');
    const [stepped, pushed] = [createStreamReader(), createStreamReader()];
    const [one, other] = [new ItemForest(), new ItemForest()];
    for (const line of lines) {
      one.apply(stepped.step(line).flatMap((fact) => (fact.type === 'item' ? [fact.item] : [])));
      pushed.push(line);
    }
    other.apply(pushed.take());
    assert.deepEqual(one.value, other.value, name);
    assert.deepEqual(stepped.take(), []);
  }
});

function factsOf(...lines: unknown[]): StreamFact[] {
  const reader = createStreamReader();
  return lines.flatMap((line) => reader.step(typeof line === 'string' ? line : JSON.stringify(line)));
}

const event = (inner: unknown) => ({ type: 'stream_event', api_message_id: 'm', event: inner });

test('[CC34] a block says its pieces, then the line that holds it whole; what a stream abandons is dropped', () => {
  const facts = factsOf(
    event({ type: 'message_start', message: { id: 'm' } }),
    event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: '' } }),
    event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } }),
    {
      type: 'assistant',
      uuid: 'u1',
      session_id: 's',
      message: { id: 'm', content: [{ type: 'text', text: 'Hello' }] },
    },
    event({ type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'c', name: 'Bash' } }),
    event({ type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{' } }),
    event({ type: 'message_stop' }),
  );
  const place = (index: number) => ({ message: 'm', index });
  assert.deepEqual(
    facts.filter(({ type }) => type !== 'item'),
    [
      { type: 'part-started', ...place(0), block: { type: 'text', text: '' } },
      { type: 'part-grown', ...place(0), field: 'text', text: 'Hel' },
      { type: 'part-grown', ...place(0), field: 'text', text: 'lo' },
      { type: 'part-whole', ...place(0), key: 'u1' },
      { type: 'part-started', ...place(1), block: { type: 'tool-use', id: 'c', name: 'Bash', parameters: {} } },
      { type: 'part-grown', ...place(1), field: 'arguments', text: '{' },
      { type: 'part-dropped', ...place(1) },
    ],
  );
});

test('[CC35] lines about the run are facts too: turns and their cost, questions, retries, tasks, and lines that are not JSON', () => {
  const spent = { inputTokens: 2, outputTokens: 3, costUSD: 0.5 };
  const result = { type: 'result', session_id: 's', subtype: 'success', model_usage_since_last_result: { m: spent } };
  const request = {
    subtype: 'can_use_tool',
    tool_name: 'Bash',
    tool_use_id: 'c',
    input: { command: 'ls' },
    agent_id: 'a',
    permission_suggestions: [{ type: 'addRules' }, 1],
  };
  const facts = factsOf(
    { type: 'system', subtype: 'init', session_id: 's' },
    { type: 'command_lifecycle', command_uuid: 'u', state: 'started' },
    { type: 'control_request', request_id: 'q', request },
    { type: 'control_cancel_request', request_id: 'q' },
    { type: 'control_response', response: { subtype: 'success', request_id: 'r', response: { a: 1 } } },
    { type: 'system', subtype: 'api_retry', attempt: 2, retry_delay_ms: 500, error: 'overloaded' },
    { type: 'system', subtype: 'background_tasks_changed', tasks: [{}, {}] },
    { type: 'system', subtype: 'task_notification', task_id: 't', status: 'completed', summary: 'done' },
    result,
    { ...result, is_error: true, result: 'Overloaded', api_error_status: 529, terminal_reason: 'api_error' },
    'Warning: no JSON',
  );
  const cost = { input_tokens: 2, output_tokens: 3, cached_input_tokens: 0, cache_write_tokens: 0, cost_usd: 0.5 };
  assert.deepEqual(
    facts
      .map((fact) => (fact.type === 'turn-closed' || fact.type === 'turn-opened' ? { ...fact, report: 'kept' } : fact))
      .filter(({ type }) => type !== 'item'),
    [
      { type: 'turn-opened', session: 's', report: 'kept' },
      { type: 'input-state', uuid: 'u', state: 'started' },
      {
        type: 'question',
        question: {
          id: 'q',
          call: 'c',
          tool: 'Bash',
          input: { command: 'ls' },
          agent: 'a',
          description: undefined,
          suggestions: [{ type: 'addRules' }],
        },
      },
      { type: 'question-withdrawn', id: 'q' },
      { type: 'response', id: 'r', ok: true, value: { a: 1 } },
      { type: 'retrying', attempt: 2, delay_ms: 500, reason: 'overloaded' },
      { type: 'tasks-changed', running: 2 },
      { type: 'task-ended', task: 't', status: 'completed', summary: 'done' },
      { type: 'turn-closed', report: 'kept', spent: cost, failure: undefined },
      {
        type: 'turn-closed',
        report: 'kept',
        spent: cost,
        failure: { code: 'api_error', message: 'Overloaded', status: 529 },
      },
      { type: 'stray', text: 'Warning: no JSON' },
    ],
  );
});
