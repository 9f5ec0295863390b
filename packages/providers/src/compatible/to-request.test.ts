import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssistantBlock, Message } from '@loom/blocks';
import type { ProviderRequest } from '@loom/kernel';
import { requestSaying, saying } from '../testing/streams.ts';
import { habitsOf } from './habits.ts';
import type { ServerHabits } from './habits.ts';
import { toCompatibleRequest } from './to-request.ts';

const details = [{ type: 'reasoning.text', text: 'Hm.', signature: 'sealed' }];
const thought: AssistantBlock = { type: 'thinking', text: 'Hm.', provider: { server: { reasoning_details: details } } };
const blob = `sha256:${'0'.repeat(64)}`;
const files = new Map([[blob, new Uint8Array([1, 2, 3])]]);

test('[PV48] thoughts go back only to servers that want them, and in their form', () => {
  const messages = [saying('hello'), said(thought, { type: 'text', text: 'Yes.' }), saying('hello')];
  const answer = { role: 'assistant', content: 'Yes.' };
  const sent = (baseURL: string, model = 'some-model'): unknown =>
    messagesOf(messages, habitsOf(baseURL, model), { baseURL })[1];
  assert.deepEqual(sent('http://127.0.0.1:11434/v1'), answer);
  assert.deepEqual(sent('https://openrouter.ai/api/v1'), { ...answer, reasoning_details: details });
  assert.deepEqual(sent('https://api.deepseek.com'), { ...answer, reasoning_content: 'Hm.' });
  assert.deepEqual(sent('https://api.moonshot.ai/v1'), { ...answer, reasoning_content: 'Hm.' });
  for (const model of ['deepseek-ai/DeepSeek-V3.2', 'moonshotai/kimi-k2-thinking', 'zai-org/GLM-4.7', 'glm-5']) {
    assert.deepEqual(sent('https://gateway.example/v1', model), { ...answer, reasoning_content: 'Hm.' }, model);
    assert.deepEqual(
      sent('https://api.groq.com/openai/v1', model),
      answer,
      'a server that refuses what it does not know',
    );
  }
  for (const model of ['deepseek-r1', 'kimi-k2-instruct', 'glm-4-9b', 'qwen3-next'])
    assert.deepEqual(sent('https://gateway.example/v1', model), answer, model);
});

test('[PV58] OpenRouter is told what of a conversation with Claude to keep in the cache', () => {
  const call: AssistantBlock = { type: 'tool-use', id: 'a', name: 'look', parameters: {} };
  const result: Message = { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'A dot.' }] };
  const picture: Message = {
    role: 'user',
    content: [
      { type: 'text', text: 'And this?' },
      { type: 'image', media_type: 'image/png', blob },
    ],
  };
  const conversation = [saying('hello'), said(call), result, said({ type: 'text', text: 'Well.' }), picture];
  const request = {
    baseURL: 'https://openrouter.ai/api/v1',
    model: 'anthropic/claude-opus-5',
    systemPrompt: 'Be kind.',
  };
  const sent = (count: number, more: object = {}): unknown[] =>
    messagesOf(conversation.slice(0, count), habitsOf(request.baseURL, request.model), { ...request, ...more });
  const marked = (parts: unknown): boolean => JSON.stringify(parts).includes('"cache_control":{"type":"ephemeral"}');
  const whole = sent(5);
  assert.deepEqual(whole.map(marked), [true, false, false, true, false, true]);
  assert.deepEqual(whole[0], {
    role: 'system',
    content: [{ type: 'text', text: 'Be kind.', cache_control: { type: 'ephemeral' } }],
  });
  const bare = (messages: readonly unknown[]): string[] =>
    messages.map((message) => JSON.stringify(message).replaceAll(',"cache_control":{"type":"ephemeral"}', ''));
  assert.deepEqual(bare(sent(3)), bare(whole).slice(0, 4), 'but for the marks a longer conversation begins the same');
  assert.equal(marked(sent(5, { model: 'openai/gpt-6-sol' })), false);
  assert.equal(marked(sent(5, { baseURL: 'https://gateway.example/v1' })), false);
});

test('[PV49] calls and results are messages of their own, and pictures among results are shown behind them', () => {
  const calls = ['a', 'b'].map((id): AssistantBlock => ({ type: 'tool-use', id, name: 'look', parameters: {} }));
  const [first, second] = calls;
  assert.ok(first !== undefined && second !== undefined);
  const results: Message[] = [
    { role: 'tool', tool_call_id: 'a', content: [{ type: 'image', media_type: 'image/png', blob }] },
    { role: 'tool', tool_call_id: 'b', content: [], is_error: true },
  ];
  const answer = said({ type: 'text', text: 'A dot.' });
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } };
  const written = messagesOf([
    saying('hello'),
    said({ type: 'text', text: ' ' }, first, second),
    ...results,
    answer,
    saying('and?'),
  ]);
  assert.deepEqual(written, [
    { role: 'user', content: 'hello' },
    {
      role: 'assistant',
      content: null,
      tool_calls: ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'look', arguments: '{}' } })),
    },
    { role: 'tool', tool_call_id: 'a', content: '' },
    { role: 'tool', tool_call_id: 'b', content: 'The tool failed and said nothing.' },
    { role: 'user', content: [{ type: 'text', text: '(What the tools have shown:)' }, picture] },
    { role: 'assistant', content: 'A dot.' },
    { role: 'user', content: 'and?' },
  ]);
  assert.deepEqual(messagesOf([saying('hello'), said(first, second), ...results]), written.slice(0, 5));
});

test('[PV49] a conversation that begins or ends with an answer is one that every server takes', () => {
  const answer = said({ type: 'text', text: 'Once upon' });
  assert.deepEqual(messagesOf([answer]), [
    { role: 'user', content: '(The conversation begins with an answer.)' },
    { role: 'assistant', content: 'Once upon' },
    { role: 'user', content: 'Go on exactly where you stopped.' },
  ]);
  assert.deepEqual(messagesOf([saying('x'), answer], { thinking: 'none', takesPrefix: true }).at(-1), {
    role: 'assistant',
    content: 'Once upon',
  });
});

function said(...content: [AssistantBlock, ...AssistantBlock[]]): Message {
  return { role: 'assistant', content };
}

function messagesOf(
  messages: readonly Message[],
  habits: ServerHabits = { thinking: 'none', takesPrefix: false },
  { baseURL = 'http://127.0.0.1/v1', ...more }: Partial<ProviderRequest> & { baseURL?: string } = {},
): unknown[] {
  const server = { name: 'server', baseURL };
  const { exact } = toCompatibleRequest(server, habits, requestSaying('', { messages, ...more }), files);
  const written: unknown = JSON.parse(`[${[...exact.values()].join('')}]`);
  return Array.isArray(written) ? written : [];
}
