import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AssistantBlock, Message } from '@loom/blocks';
import { fromChatRows, fromModelMessages, fromUIMessages, toModelMessages, toUIMessages } from '@loom/exchange/ai-sdk';

// No clock: at these lengths looking at everything for each element would not end in an hour.
function many<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

const call = (n: number) => ({ type: 'tool-call', toolCallId: `c${n}`, toolName: 'f', input: {} });
const ran = (n: number) => ({ ...call(n), providerExecuted: true });
const result = (n: number) => ({
  type: 'tool-result',
  toolCallId: `c${n}`,
  toolName: 'f',
  output: { type: 'text', value: 'x' },
});
const request = (n: number) => ({ type: 'tool-approval-request', toolCallId: `c${n}`, approvalId: `a${n}` });
const done = (n: number) => ({
  type: 'tool-f',
  toolCallId: `c${n}`,
  state: 'output-available',
  input: {},
  output: 'x',
});
const whole = (n: number) => ({ type: 'data-loom-result', data: { role: 'tool', tool_call_id: `c${n}`, content: [] } });

const readings: Record<string, () => { messages: Message[] }> = {
  'results of one message': () => fromModelMessages([{ role: 'tool', content: many(130_000, result) }]),
  'results of tools that the provider ran': () =>
    fromModelMessages([{ role: 'assistant', content: many(60_000, (n) => [ran(n), result(n)]).flat() }]),
  approvals: () =>
    fromModelMessages([{ role: 'assistant', content: [...many(60_000, call), ...many(60_000, request)] }]),
  'step boundaries': () =>
    fromUIMessages([{ id: 'a', role: 'assistant', parts: many(130_000, () => ({ type: 'step-start' })) }]),
  'results in full': () =>
    fromUIMessages([{ id: 'a', role: 'assistant', parts: [...many(60_000, done), ...many(60_000, whole)] }]),
  iterations: () =>
    fromChatRows([{ role: 'assistant', iterations: many(130_000, () => ({ rawContent: 'x', toolOutput: 'y' })) }]),
};

for (const [name, read] of Object.entries(readings)) {
  test(`[AS59] no list is too long to be read: ${name}`, () => {
    assert.ok(read().messages.length > 0);
  });
}

const text: AssistantBlock = { type: 'text', text: 'x' };
const use = (n: number): AssistantBlock => ({ type: 'tool-use', id: `c${n}`, name: 'f', parameters: {} });
const answer = (n: number): Message => ({ role: 'tool', tool_call_id: `c${n}`, content: [] });
const said = (provider: { provider?: Record<string, unknown> }): Message => ({
  role: 'user',
  content: [{ type: 'text', text: 'x', ...provider }],
});

const histories: Record<string, () => Message[]> = {
  'texts behind calls': () => [
    { role: 'assistant', content: [text, ...many(70_000, (n) => [use(n), text]).flat()] },
    ...many(70_000, answer),
  ],
  'ids that are taken': () => [
    ...many(15_000, () => said({})),
    ...many(15_000, (n) => said({ provider: { 'ai-sdk': { uiMessage: { id: `message-${n + 1}` } } } })),
  ],
};

for (const [name, history] of Object.entries(histories)) {
  test(`[AS59] no list is too long to be written: ${name}`, async () => {
    const messages = history();
    assert.ok((await toModelMessages(messages)).length > 0);
    const shown = await toUIMessages(messages);
    assert.equal(new Set(shown.map(({ id }) => id)).size, shown.length);
  });
}

test('[AS59] a stored number does not decide how much is written', async () => {
  const provider = { 'ai-sdk': { steps: Number.MAX_SAFE_INTEGER } };
  const [message] = await toUIMessages([{ role: 'assistant', content: [{ ...text, provider }] }]);
  assert.ok(message && message.parts.length <= 100_001);
});
