import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssistantBlock, Message } from '@loom/blocks';
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
  const sent = (baseURL: string): unknown => messagesOf(messages, habitsOf(baseURL))[1];
  assert.deepEqual(sent('http://127.0.0.1:11434/v1'), answer);
  assert.deepEqual(sent('https://openrouter.ai/api/v1'), { ...answer, reasoning_details: details });
  assert.deepEqual(sent('https://api.deepseek.com'), { ...answer, reasoning_content: 'Hm.' });
  assert.deepEqual(sent('https://api.moonshot.ai/v1'), { ...answer, reasoning_content: 'Hm.' });
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
): unknown[] {
  const { exact } = toCompatibleRequest('server', habits, requestSaying('', { messages }), files);
  const written: unknown = JSON.parse(`[${[...exact.values()].join('')}]`);
  return Array.isArray(written) ? written : [];
}
