import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import { ItemForest } from '../foreign/testing/item-forest.ts';
import { createStreamReader } from './stream/stream-reader.ts';
import type { StreamReader } from './stream/stream-reader.ts';
import { call, shapeOf, text } from './testing/transcript.ts';

function line(type: string, uuid: string, fields: PlainObject = {}): PlainObject {
  return { type, uuid, session_id: 's1', parent_tool_use_id: null, ...fields };
}

function answer(uuid: string, id: string, block: PlainObject, fields: PlainObject = {}): PlainObject {
  const message = {
    id,
    role: 'assistant',
    model: 'claude-x',
    content: [block],
    stop_reason: null,
    usage: { input_tokens: 3, output_tokens: 1 },
  };
  return line('assistant', uuid, { message, ...fields });
}

function said(uuid: string, content: unknown, fields: PlainObject = {}): PlainObject {
  return line('user', uuid, { message: { role: 'user', content }, ...fields });
}

function result(uuid: string, id: string, content: string, fields: PlainObject = {}): PlainObject {
  return said(uuid, [{ type: 'tool_result', tool_use_id: id, content }], fields);
}

function event(id: string, event: PlainObject, fields: PlainObject = {}): PlainObject {
  return line('stream_event', '', { event, api_message_id: id, ...fields });
}

function read(lines: readonly (PlainObject | string)[]): { reader: StreamReader; forest: ItemForest; shape: string[] } {
  const reader = createStreamReader();
  for (const each of lines) reader.push(typeof each === 'string' ? each : JSON.stringify(each));
  const forest = new ItemForest();
  forest.apply(reader.take());
  return { reader, forest, shape: shapeOf(forest) };
}

const growing = [
  event('m1', { type: 'message_start', message: { id: 'm1' } }),
  event('m1', { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
  event('m1', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'I w' } }),
  event('m1', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ill' } }),
];

test('[CC23] blocks that are being written are provisional until the line comes that holds them whole', () => {
  const { reader } = read([
    ...growing,
    event('m1', { type: 'content_block_start', index: 1, content_block: { ...call('t1'), input: {} } }),
  ]);
  reader.push(
    JSON.stringify(
      event('m1', {
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: '{"command"' },
      }),
    ),
  );
  assert.deepEqual(reader.take(), []);
  assert.deepEqual(reader.provisional, [
    { message: 'm1', index: 0, block: { type: 'text', text: 'I will' } },
    {
      message: 'm1',
      index: 1,
      block: { type: 'tool-use', id: 't1', name: 'Bash', parameters: {}, arguments: '{"command"' },
    },
  ]);
  reader.push(JSON.stringify(answer('a1', 'm1', text('I will.'))));
  assert.deepEqual(
    reader.provisional.map(({ index }) => index),
    [1],
  );
  reader.push(JSON.stringify(answer('a2', 'm1', call('t1'))));
  assert.deepEqual(reader.provisional, []);
});

test('[CC23] what a stream abandons is dropped, what was cut off by its end is told', () => {
  const stop = event(
    'm1',
    { type: 'message_stop' },
    { abandoned_blocks: { api_message_id: 'm1', from_block_index: 0 } },
  );
  const { reader, shape } = read([
    ...growing,
    stop,
    said('n1', 'It was cut off mid-stream.', { isSynthetic: true }),
    answer('b1', 'm2', text('Again')),
  ]);
  assert.deepEqual(reader.provisional, []);
  assert.deepEqual(shape, ['n1', 'b1<n1']);
  const cut = read(growing).reader;
  cut.end();
  assert.deepEqual(
    [...cut.tally.remarks.keys()],
    ['An answer was cut off while it was written: what was not complete is left out.'],
  );
});

test('[CC23] usage and the reason of the end come with the last event of an answer; an answer that was stopped says so', () => {
  const { forest } = read([
    answer('a1', 'm1', text('I will')),
    event('m1', {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: { input_tokens: 3, output_tokens: 83 },
    }),
    answer('b1', 'm2', text('Hal'), { aborted: true }),
  ]);
  const [whole, half] = forest.nodes.values();
  assert.deepEqual(whole?.source, {
    type: 'model',
    provider: 'anthropic',
    model_name: 'claude-x',
    parameters: {},
    finish_reason: 'stop',
    usage: { input_tokens: 3, output_tokens: 83, raw: { input_tokens: 3, output_tokens: 83 } },
  });
  assert.deepEqual(half?.details, { aborted: true });
});

test('[CC17] a stream that takes lines back says which, and goes on above them', () => {
  const { forest, shape } = read([
    said('u1', 'Go', { isReplay: true }),
    answer('a1', 'm1', text('I must not')),
    line('system', 'x1', { subtype: 'model_refusal_fallback', retracted_message_uuids: ['a1'] }),
    answer('b1', 'm2', text('Gladly')),
    answer('c1', 'm3', text('More gladly'), { supersedes: ['b1'] }),
  ]);
  assert.deepEqual(shape, ['u1', 'a1<u1', 'b1<u1', 'c1<u1']);
  assert.deepEqual(
    [...forest.nodes.values()].map(({ blocks }) => blocks.length),
    [1, 0, 0, 1],
  );
});

test('[CC24] turns come behind each other; a compaction, a reset and what the program says are told apart', () => {
  const { forest, shape } = read([
    line('system', 'i1', { subtype: 'init', cwd: '/tmp', claude_code_version: '2.1.325' }),
    answer('a1', 'm1', text('One')),
    line('system', 'i2', { subtype: 'init' }),
    answer('b1', 'm2', text('Two')),
    line('system', 'x1', { subtype: 'compact_boundary', compact_metadata: {} }),
    said('n1', 'What was said', { isSynthetic: true, isReplay: true }),
    line('conversation_reset', 'x2', { new_conversation_id: 's2' }),
    { ...answer('c1', 'm3', text('Three')), session_id: 's2' },
  ]);
  assert.deepEqual(shape, ['a1', 'b1<a1', 'n1<b1', 'c1']);
  assert.equal(forest.nodes.get('s1\nn1')?.context_start, true);
  assert.deepEqual(
    [...forest.conversations.values()],
    [{ id: 's1', directory: '/tmp', details: { version: '2.1.325' } }, { id: 's2' }],
  );
});

test('[CC24] a failed call is an error, a denied one says so, and a run that prints its result alone says what it holds', () => {
  const denied = [{ id: 't1', non_execution_kind: 'permission-rule' }];
  const failed = answer('b1', 'x', text('API Error'), { error: 'rate_limit', is_api_error_message: true });
  const { forest } = read([
    answer('a1', 'm1', call('t1')),
    result('r1', 't1', 'No.', { tool_result_meta: denied }),
    failed,
  ]);
  assert.deepEqual(
    [...forest.nodes.values()].map(({ tool, blocks }) => tool ?? blocks[0]?.block.type),
    ['tool-use', 'denied', 'error'],
  );
  const alone = read([
    {
      type: 'result',
      subtype: 'success',
      uuid: 'z1',
      session_id: 's1',
      result: 'Hello',
      modelUsage: { 'claude-x': {} },
    },
  ]);
  assert.deepEqual(alone.forest.nodes.get('s1\nz1')?.blocks[0]?.block, { type: 'text', text: 'Hello' });
  const wrong = read([
    {
      type: 'result',
      subtype: 'error_during_execution',
      uuid: 'z1',
      session_id: 's1',
      is_error: true,
      errors: ['No such session'],
    },
  ]);
  assert.deepEqual(wrong.forest.nodes.get('s1\nz1')?.blocks[0]?.block, {
    type: 'error',
    code: 'error_during_execution',
    message: 'No such session',
  });
});

test('[CC25] lines of sub-agents are conversations of their own, also where parallel ones come between each other', () => {
  const of = (agent: string, calling: string) => ({
    parent_tool_use_id: calling,
    agent_id: agent,
    task_description: `About ${agent}`,
  });
  const { forest, shape } = read([
    answer('a1', 'm1', call('t1', 'Agent')),
    answer('a2', 'm1', call('t2', 'Agent')),
    line('system', 'x1', {
      subtype: 'task_started',
      task_type: 'local_agent',
      task_id: 'short',
      tool_use_id: 't1',
      description: 'About short',
    }),
    said('p1', 'Do this', of('short', 't1')),
    said('p2', 'Do that', of('a1157c2a89068ea74', 't2')),
    answer('q2', 'm3', text('That'), of('a1157c2a89068ea74', 't2')),
    answer('q1', 'm2', text('This'), of('short', 't1')),
    result('r2', 't2', 'That'),
    result('r1', 't1', 'This'),
  ]);
  assert.deepEqual(shape, ['a1', 'p1', 'p2', 'q2<p2', 'q1<p1', 'r2<a1', 'r1<r2']);
  assert.deepEqual(
    [...forest.conversations.values()].map(({ id, parent, title }) => [id, parent?.call, title]),
    [
      ['s1', undefined, undefined],
      ['agent:s1/short', 't1', 'About short'],
      ['agent:a1157c2a89068ea74', 't2', 'About a1157c2a89068ea74'],
    ],
  );
});

test('[CC26] records that a terminal broke over several lines, a list and unknown kinds are read; every line is counted once', () => {
  const one = JSON.stringify(answer('a1', 'm1', text('I will { and "quote" \\ it')));
  const two = JSON.stringify(answer('b1', 'm2', text('Two')));
  const broken = read([
    one.slice(0, 40),
    one.slice(40, 90),
    `${one.slice(90)}    ${two}`,
    'npm warn',
    '{"type":"assistant","mess',
    two,
    { type: 'future' },
  ]);
  broken.reader.end();
  assert.deepEqual(broken.shape, ['a1', 'b1<a1']);
  assert.deepEqual(broken.reader.tally.counts, { read: 7, used: 4, raw: 1, reported: 2 });
  assert.deepEqual([...broken.reader.tally.unknown], [['future', 1]]);
  const list = JSON.stringify([JSON.parse(one), JSON.parse(two)], undefined, 2);
  for (const lines of [[list.replaceAll('\n', '')], list.split('\n')])
    assert.deepEqual(read(lines).shape, ['a1', 'b1<a1']);
});

test('[CC27] what a run cost is counted once, though each result tells all that was spent so far', () => {
  const spent = (inputTokens: number, costUSD: number) => ({
    'claude-x': { inputTokens, outputTokens: 1, cacheReadInputTokens: 10, cacheCreationInputTokens: 5, costUSD },
  });
  const outcome = (fields: PlainObject) => line('result', '', { subtype: 'success', result: '', ...fields });
  const today = read([
    outcome({ modelUsage: spent(900, 9), model_usage_since_last_result: spent(100, 1) }),
    outcome({ modelUsage: spent(950, 9.5), model_usage_since_last_result: spent(50, 0.5) }),
  ]);
  assert.deepEqual(today.reader.spending, {
    input_tokens: 180,
    output_tokens: 2,
    cached_input_tokens: 20,
    cache_write_tokens: 10,
    cost_usd: 1.5,
  });
  const usage = { input_tokens: 7, output_tokens: 2 };
  const older = read([outcome({ usage, total_cost_usd: 1 }), outcome({ usage, total_cost_usd: 1.5 })]);
  assert.deepEqual(older.reader.spending, {
    input_tokens: 14,
    output_tokens: 4,
    cached_input_tokens: 0,
    cache_write_tokens: 0,
    cost_usd: 1.5,
  });
  assert.equal(read([]).reader.spending, undefined);
});
