import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isNonEmpty, isPlainObject } from '@loom/blocks';
import type { AssistantBlock, Message, PlainObject } from '@loom/blocks';
import type { ProviderRequest } from '@loom/kernel';
import { requestSaying, saying } from '../testing/streams.ts';
import { toResponsesRequest } from './to-request.ts';

const hello = { role: 'user', content: [{ type: 'input_text', text: 'hello' }] };

test('[PV42] nothing is stored at OpenAI: the whole conversation goes along, its reasoning encrypted', () => {
  const { options } = toResponsesRequest(requestSaying('hello', { maxTokens: 3 }), new Map());
  assert.deepEqual(options.providerOptions?.openai, { store: false, promptCacheKey: 'root-1' });
  assert.equal(options.maxOutputTokens, 16);
  const summary = ['One.', 'Two.'].map((text, index) => thought('rs_1', text, index === 1 ? 'sealed' : undefined));
  assert.deepEqual(inputOf([saying('hello'), said(...summary, { type: 'text', text: 'Yes.' }), saying('hello')]), [
    hello,
    {
      type: 'reasoning',
      id: 'rs_1',
      summary: [
        { type: 'summary_text', text: 'One.' },
        { type: 'summary_text', text: 'Two.' },
      ],
      encrypted_content: 'sealed',
    },
    { role: 'assistant', content: 'Yes.' },
    hello,
  ]);
});

test('[PV42] reasoning that is not encrypted, or that nothing followed, is left out', () => {
  const bare = said(thought('rs_1', 'Hm.', undefined), { type: 'text', text: 'Yes.' });
  const { exact, leftOut } = toResponsesRequest(request([saying('hello'), bare, saying('hello')]), new Map());
  assert.equal([...exact.values()].join('').includes('reasoning'), false);
  assert.deepEqual(leftOut, [{ what: 'thinking', why: 'It has no encrypted form, and is not accepted without.' }]);
  const last = said(thought('rs_1', 'Hm.', 'sealed'), { type: 'text', text: ' \n' });
  assert.deepEqual(inputOf([saying('hello'), last, saying('hello')]), [hello, hello]);
});

test('[PV43] what OpenAI ran itself goes back as it came, but only with the reasoning that led to it', () => {
  const item = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } };
  const call: AssistantBlock = {
    type: 'tool-use',
    id: 'ws_1',
    name: 'web_search',
    parameters: { type: 'search', query: 'x' },
    executed: 'provider',
  };
  const result: Message = {
    role: 'tool',
    tool_call_id: 'ws_1',
    content: [{ type: 'text', text: 'Searched: x', provider: { openai: { reasoning: 'rs_1', result: item } } }],
  };
  const answer = said({ type: 'text', text: 'Found.' });
  const whole = inputOf([
    saying('hello'),
    said(thought('rs_1', 'Hm.', 'sealed'), call),
    result,
    answer,
    saying('hello'),
  ]);
  assert.deepEqual(whole[2], item);
  assert.equal(whole.length, 5);
  // Another model gets no reasoning.
  const bare = inputOf([saying('hello'), said(call), result, answer, saying('hello')]);
  assert.deepEqual(bare.slice(1, 3), [
    { type: 'function_call', call_id: 'ws_1', name: 'web_search', arguments: '{"type":"search","query":"x"}' },
    { type: 'function_call_output', call_id: 'ws_1', output: 'Searched: x' },
  ]);
});

test('[PV43] a picture that OpenAI made goes back with the call that made it, one of another model is shown by the user', () => {
  const blob = `sha256:${'0'.repeat(64)}`;
  const files = new Map([[blob, new Uint8Array([1, 2, 3])]]);
  const call: AssistantBlock = {
    type: 'tool-use',
    id: 'ig_1',
    name: 'image_generation',
    parameters: {},
    executed: 'provider',
  };
  const native = { type: 'image_generation_call', id: 'ig_1', status: 'completed' };
  const result: Message = {
    role: 'tool',
    tool_call_id: 'ig_1',
    content: [{ type: 'text', text: 'A picture was made.', provider: { openai: { result: native } } }],
  };
  const picture: AssistantBlock = { type: 'image', media_type: 'image/png', blob };
  const own = said({ ...picture, provider: { openai: { itemId: 'ig_1' } } });
  assert.deepEqual(inputOf([saying('hello'), said(call), result, own, saying('hello')], files), [
    hello,
    { ...native, result: 'AQID' },
    hello,
  ]);
  assert.deepEqual(inputOf([saying('hello'), said(picture), saying('hello')], files).at(-1), {
    role: 'user',
    content: [
      { type: 'input_text', text: '(What was made above:)' },
      { type: 'input_image', image_url: 'data:image/png;base64,AQID' },
      { type: 'input_text', text: 'hello' },
    ],
  });
});

test('[PV44] arguments go back as they were spelled; malformed ones, which servers refuse, as an empty object', () => {
  const spelled = '{"a": 1.0, "b": 12345678901234567890, "__proto__": "\\ud83e\\uddf5"}';
  const call = (id: string, text: string): AssistantBlock => {
    return { type: 'tool-use', id, name: 'weather', parameters: {}, arguments: text };
  };
  const results = ['a', 'b'].map((id): Message => ({ role: 'tool', tool_call_id: id, content: [] }));
  const items = inputOf([saying('hello'), said(call('a', spelled), call('b', '{"a": ')), ...results]);
  assert.deepEqual(
    items.flatMap((item) => ('arguments' in item ? [item.arguments] : [])),
    [spelled, '{}'],
  );
  assert.deepEqual(items.at(-1), { type: 'function_call_output', call_id: 'b', output: '' });
});

test('[PV44] names and ids that the API refuses are changed, and the names of calls changed back', () => {
  const tools = ['a.b', 'a/b', 'x'.repeat(80)].map((name) => ({ name, description: '', parameters: {} }));
  const long = 'call '.repeat(20);
  const call: AssistantBlock = { type: 'tool-use', id: long, name: 'a/b', parameters: {} };
  const messages = [saying('hello'), said(call), { role: 'tool', tool_call_id: long, content: [] } satisfies Message];
  const { options, exact, toolName } = toResponsesRequest(request(messages, { tools }), new Map());
  assert.deepEqual(
    options.tools?.map(({ name }) => name),
    ['a_b', 'a_b_2', 'x'.repeat(64)],
  );
  assert.equal(toolName?.('a_b_2'), 'a/b');
  const [, made, answered] = itemsOf(exact);
  assert.deepEqual(made, {
    type: 'function_call',
    call_id: long.replaceAll(' ', '_').slice(0, 64),
    name: 'a_b_2',
    arguments: '{}',
  });
  assert.equal(answered?.call_id, made?.call_id);
});

test('[PV57] a call of a custom tool goes back in its own form, with its exact text and its result', () => {
  const text = '*** Begin Patch\n{"a": 1.0}\n';
  const custom = (id: string, more: object, own: object = {}): AssistantBlock => {
    const provider = { openai: { itemId: `ctc_${id}`, callType: 'custom_tool_call', ...own } };
    return { type: 'tool-use', id, name: 'patch', parameters: {}, provider, ...more };
  };
  const calls = [
    custom('a', { arguments: text }),
    custom('b', { parameters: { x: 1 } }),
    custom('c', {}, { input: '' }),
    { type: 'tool-use', id: 'd', name: 'weather', parameters: {} } satisfies AssistantBlock,
  ];
  const results = ['a', 'b', 'c', 'd'].map((id): Message => {
    return { role: 'tool', tool_call_id: id, content: [{ type: 'text', text: id }] };
  });
  const sent = { model: 'gpt-5', input: inputOf([saying('hello'), said(...calls), ...results]) };
  assert.deepEqual(sent.input.slice(1), [
    { type: 'custom_tool_call', call_id: 'a', name: 'patch', input: text },
    { type: 'custom_tool_call', call_id: 'b', name: 'patch', input: '{"x":1}' },
    { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: '' },
    { type: 'function_call', call_id: 'd', name: 'weather', arguments: '{}' },
    { type: 'custom_tool_call_output', call_id: 'a', output: 'a' },
    { type: 'custom_tool_call_output', call_id: 'b', output: 'b' },
    { type: 'custom_tool_call_output', call_id: 'c', output: 'c' },
    { type: 'function_call_output', call_id: 'd', output: 'd' },
  ]);
});

function request(messages: readonly Message[], more: Partial<ProviderRequest> = {}): ProviderRequest {
  return requestSaying('', { messages, ...more });
}

function said(...content: AssistantBlock[]): Message {
  assert.ok(isNonEmpty(content));
  return { role: 'assistant', content };
}

function thought(itemId: string, text: string, sealed: string | undefined): AssistantBlock {
  const own = sealed === undefined ? { itemId } : { itemId, reasoningEncryptedContent: sealed };
  return { type: 'thinking', text, provider: { openai: own } };
}

function inputOf(messages: readonly Message[], files: ReadonlyMap<string, Uint8Array> = new Map()): PlainObject[] {
  return itemsOf(toResponsesRequest(request(messages), files).exact);
}

function itemsOf(exact: ReadonlyMap<string, string>): PlainObject[] {
  const items: unknown = JSON.parse(`[${[...exact.values()].join('')}]`);
  return Array.isArray(items) ? items.filter(isPlainObject) : [];
}

test('[PV59] a model that cannot but think is asked to think least', () => {
  const effort = (model: string, reasoning: string | number = 'off'): unknown =>
    toResponsesRequest(requestSaying('hello', { model, settings: { reasoning } }), new Map()).options.reasoning;
  for (const model of ['o1', 'o3', 'o3-2025-04-16', 'o4-mini', 'openai/o3', 'gpt-5-codex', 'gpt-5.1-codex-max'])
    assert.equal(effort(model), 'low', model);
  for (const model of ['gpt-5', 'gpt-5-mini', 'gpt-5-2025-08-07']) assert.equal(effort(model), 'minimal', model);
  for (const model of ['gpt-5.1', 'gpt-5.4-mini', 'gpt-6-sol']) assert.equal(effort(model), 'none', model);
  assert.deepEqual(
    [effort('gpt-5-pro'), effort('gpt-5.2-pro'), effort('o3', 0), effort('o3', 'high')],
    ['high', 'medium', 'low', 'high'],
  );
});
