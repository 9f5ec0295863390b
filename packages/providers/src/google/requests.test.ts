import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssistantBlock, Message, PlainObject, ToolBlock } from '@loom/blocks';
import { isNonEmpty } from '@loom/blocks';
import type { ProviderRequest } from '@loom/kernel';
import { requestProblem } from '../testing/emulators/google-rules.ts';
import { requestSaying, saying } from '../testing/streams.ts';
import { model } from './testing/answers.ts';
import { toRequest } from './to-request.ts';

/** Returns the contents that are sent, and the omissions. */
function contentsOf(
  messages: Message[],
  changes: Partial<ProviderRequest> = {},
  files = new Map<string, Uint8Array>(),
) {
  const { exact, leftOut } = toRequest(requestSaying('', { model, messages, ...changes }), files);
  const json = [...exact.values()].join('');
  const contents: unknown = JSON.parse(json);
  assert.equal(requestProblem({ contents }, changes.model ?? model), undefined);
  return { json, contents, leftOut };
}

function answer(...content: AssistantBlock[]): Message {
  assert.ok(isNonEmpty(content));
  return { role: 'assistant', content };
}

function result(id: string, ...content: ToolBlock[]): Message {
  return { role: 'tool', tool_call_id: id, content };
}

const call = (
  id: string,
  name: string,
  more: Partial<Extract<AssistantBlock, { type: 'tool-use' }>> = {},
): AssistantBlock => ({
  type: 'tool-use',
  id,
  name,
  parameters: {},
  ...more,
});
const signed = (thoughtSignature: string, by = model): { provider: PlainObject } => ({
  provider: { google: { thoughtSignature, model: by } },
});
const text = (words: string): { type: 'text'; text: string } => ({ type: 'text', text: words });

test('[GO1] arguments go out as the model spelled them', () => {
  const exact = '{"id": 12345678901234567890, "rate": 1.0}';
  const { json } = contentsOf([saying('Hi'), answer(call('a', 'find', { arguments: exact })), result('a', text('x'))]);
  assert.ok(json.includes(`"args":${exact}`));
  assert.ok(
    contentsOf([saying('Hi'), answer(call('a', 'find', { arguments: '{"a' })), result('a')]).json.includes('"args":{}'),
  );
});

test('[GO3] signatures go back to the model that wrote them; another gets the mark that there is none', () => {
  const messages = [
    saying('Hi'),
    answer(
      { type: 'thinking', text: 'Hm', ...signed('dGhpbms=') },
      { ...text('So'), ...signed('dGV4dA==') },
      call('a', 'f', signed('Y2FsbA==')),
      call('b', 'f'),
    ),
    result('a', text('1')),
    result('b', text('2')),
  ];
  assert.deepEqual(contentsOf(messages).contents, [
    { role: 'user', parts: [{ text: 'Hi' }] },
    {
      role: 'model',
      parts: [
        { text: 'Hm', thought: true, thoughtSignature: 'dGhpbms=' },
        { text: 'So', thoughtSignature: 'dGV4dA==' },
        { functionCall: { id: 'a', name: 'f', args: {} }, thoughtSignature: 'Y2FsbA==' },
        { functionCall: { id: 'b', name: 'f', args: {} } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { id: 'a', name: 'f', response: { output: '1' } } },
        { functionResponse: { id: 'b', name: 'f', response: { output: '2' } } },
      ],
    },
  ]);
  const other = contentsOf(messages, { model: 'gemini-3-flash-preview' });
  assert.deepEqual(other.leftOut, [{ what: 'thinking', why: 'It was written by another model.' }]);
  assert.deepEqual(other.json.match(/"thoughtSignature":"\w+"/g), [
    '"thoughtSignature":"skip_thought_signature_validator"',
  ]);
  assert.equal(contentsOf(messages, { model: 'gemini-2.5-flash' }).json.includes('thoughtSignature'), false);
});

test('[GO4] what the model says in a row is one content, and a thought alone is none', () => {
  const thought: AssistantBlock = { type: 'thinking', text: 'Hm', ...signed('dGhpbms=') };
  const { contents } = contentsOf([
    saying('Hi'),
    answer(thought),
    saying('Well?'),
    answer(text('a')),
    answer(call('x', 'f')),
    result('x'),
  ]);
  assert.deepEqual(contents, [
    { role: 'user', parts: [{ text: 'Hi' }] },
    { role: 'user', parts: [{ text: 'Well?' }] },
    {
      role: 'model',
      parts: [
        { text: 'a' },
        { functionCall: { id: 'x', name: 'f', args: {} }, thoughtSignature: 'skip_thought_signature_validator' },
      ],
    },
    { role: 'user', parts: [{ functionResponse: { id: 'x', name: 'f', response: { output: '' } } }] },
  ]);
});

test('[GO4] a conversation that begins or ends with an answer still has a question at both ends', () => {
  const { contents } = contentsOf([answer(text('a'))]);
  assert.deepEqual(contents, [
    { role: 'user', parts: [{ text: '(The conversation begins with an answer.)' }] },
    { role: 'model', parts: [{ text: 'a' }] },
    { role: 'user', parts: [{ text: 'Go on exactly where you stopped.' }] },
  ]);
  assert.throws(() => toRequest(requestSaying('', { model, messages: [] }), new Map()), /nothing to answer/);
});

test('[GO5] what Google has run goes back as the parts that it was, inside of one content', () => {
  const part = { executableCode: { id: 'c1', language: 'PYTHON', code: 'print(1)' } };
  const signed = { ...part, thoughtSignature: 'c2ln' };
  const outcome = { id: 'c1', outcome: 'OUTCOME_OK', output: '1\n' };
  const own = call('c1', 'code_execution', {
    executed: 'provider',
    provider: { google: { part, thoughtSignature: 'c2ln', model } },
  });
  const ran = result('c1', {
    ...text('1\n'),
    provider: { google: { kind: 'codeExecutionResult', model, result: outcome } },
  });
  const messages = [saying('Hi'), answer(own), ran, answer(text('It is 1.')), saying('And?')];
  assert.deepEqual(contentsOf(messages).contents, [
    { role: 'user', parts: [{ text: 'Hi' }] },
    { role: 'model', parts: [signed, { codeExecutionResult: outcome }, { text: 'It is 1.' }] },
    { role: 'user', parts: [{ text: 'And?' }] },
  ]);
  assert.equal(contentsOf(messages, { model: 'gemini-3-flash-preview' }).json.includes('c2ln'), false);
});

test('[GO5] what another provider has run is an ordinary call', () => {
  const own = call('s1', 'web_search', { executed: 'provider', parameters: { query: 'x' } });
  const { json } = contentsOf([
    saying('Hi'),
    answer(own),
    result('s1', text('found')),
    answer(text('It is.')),
    saying('And?'),
  ]);
  assert.ok(json.includes('{"functionResponse":{"id":"s1","name":"web_search","response":{"output":"found"}}}'));
});

test('[GO7] files go along: inside of a result where the model takes that, else beside it; others are named', () => {
  const blob = `sha256:${'a'.repeat(64)}`;
  const files = new Map([[blob, new Uint8Array([1, 2])]]);
  const image: ToolBlock = { type: 'image', media_type: 'image/png', blob };
  const zip: ToolBlock = { type: 'image', media_type: 'application/zip', blob, filename: 'a.zip' };
  const messages = [saying('Hi'), answer(call('a', 'draw')), result('a', text('done'), image), saying('Nice')];
  const inlineData = { mimeType: 'image/png', data: 'AQI=' };
  const inside = contentsOf(messages, {}, files).json;
  assert.ok(inside.includes(`"response":{"output":"done"},"parts":[${JSON.stringify({ inlineData })}]`));
  const beside = contentsOf(messages, { model: 'gemini-2.5-flash' }, files).json;
  assert.ok(beside.includes(`[{"text":"(Files from draw:)"},${JSON.stringify({ inlineData })},{"text":"Nice"}]`));
  const { leftOut } = contentsOf([{ role: 'user', content: [text('See'), zip] }], {}, files);
  assert.deepEqual(leftOut, [{ what: 'file', why: 'a.zip (application/zip) is not a file that this model can take.' }]);
});

test('[GO10] thinking is asked for in the way of the model, and shown unless it is off', () => {
  const thinking = (name: string, reasoning?: unknown): unknown => {
    const settings = reasoning === undefined ? {} : { reasoning };
    const request = { ...requestSaying('Hi', { model: name, settings }), maxTokens: 65_536 };
    const { options } = toRequest(request, new Map());
    const config = options.providerOptions?.['google']?.['thinkingConfig'];
    const generationConfig = config === undefined ? {} : { thinkingConfig: config };
    assert.equal(
      requestProblem({ contents: [{ role: 'user', parts: [{ text: 'x' }] }], generationConfig }, name),
      undefined,
    );
    return config;
  };
  assert.deepEqual(thinking('gemini-3-pro-preview'), { includeThoughts: true });
  assert.deepEqual(thinking('gemini-3-pro-preview', 'off'), { includeThoughts: false, thinkingLevel: 'low' });
  assert.deepEqual(thinking('gemini-3-flash-preview', 'off'), { includeThoughts: false, thinkingLevel: 'minimal' });
  assert.deepEqual(thinking('gemini-3-flash-preview', 'max'), { includeThoughts: true, thinkingLevel: 'high' });
  assert.deepEqual(thinking('gemini-3-flash-preview', 500), { includeThoughts: true, thinkingBudget: 500 });
  assert.deepEqual(thinking('gemini-2.5-pro', 'off'), { includeThoughts: false, thinkingBudget: 128 });
  assert.deepEqual(thinking('gemini-2.5-flash', 'max'), { includeThoughts: true, thinkingBudget: 24_576 });
  assert.deepEqual(thinking('gemini-2.5-flash', 'low'), { includeThoughts: true, thinkingBudget: 1024 });
  assert.equal(thinking('gemini-2.0-flash', 'high'), undefined);
});

test('[GO16] a budget for thinking leaves room for the words of an answer', () => {
  const budget = (name: string, reasoning: unknown, maxTokens: number): unknown => {
    const { options } = toRequest(
      { ...requestSaying('Hi', { model: name, settings: { reasoning } }), maxTokens },
      new Map(),
    );
    return options.providerOptions?.['google']?.['thinkingConfig'];
  };
  const shown = { includeThoughts: true };
  assert.deepEqual(budget('gemini-2.5-flash', 'high', 4_096), { ...shown, thinkingBudget: 3_072 });
  assert.deepEqual(budget('gemini-2.5-pro', 'high', 500), { ...shown, thinkingBudget: 128 });
  assert.deepEqual(budget('gemini-3-flash-preview', 9_000, 4_096), { ...shown, thinkingBudget: 3_072 });
  assert.deepEqual(budget('gemini-2.5-flash', 'low', 65_536), { ...shown, thinkingBudget: 1_024 });
});

test("[GO14] Google's own tools are asked for by name; an older model that has other tools is not given them", () => {
  const tools = [{ name: 'f', description: '', parameters: {} }];
  const settings = { providerTools: ['web_search', 'web_fetch', 'code_execution'] };
  const toolsOf = (name: string, offered: typeof tools): unknown[] => {
    const { options } = toRequest(requestSaying('Hi', { model: name, settings, tools: offered }), new Map());
    return (options.tools ?? []).map((tool) => (tool.type === 'provider' ? tool.id : tool.name));
  };
  const own = ['google.google_search', 'google.url_context', 'google.code_execution'];
  assert.deepEqual(toolsOf(model, tools), [...own, 'f']);
  assert.deepEqual(toolsOf('gemini-2.5-flash', []), own);
  assert.deepEqual(toolsOf('gemini-2.5-flash', tools), ['f']);
  const { leftOut } = toRequest(requestSaying('Hi', { model: 'gemini-2.5-flash', settings, tools }), new Map());
  assert.equal(leftOut.length, 3);
});
