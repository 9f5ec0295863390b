import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StreamPart } from '../api/api.ts';
import { createChatReader } from './chat-reader.ts';

test('[PV45] calls are told apart however a server numbers them, and ids that are missing follow from the answer', () => {
  const whole = [
    ['tool-input-start', 'call_a', 'f'],
    ['tool-input-delta', 'call_a', '{"x":'],
    ['tool-input-delta', 'call_a', '1}'],
  ];
  const named = (index: unknown, id: unknown, name: unknown, text: unknown) => ({
    tool_calls: [{ index, id, type: null, function: { name, arguments: text } }],
  });
  assert.deepEqual(partsOf([named(0, 'call_a', 'f', null), named(0, null, null, '{"x":'), named(0, '', '', '1}')]), [
    ...whole,
    ['tool-call', 'call_a', '{"x":1}'],
  ]);
  // All under one index; without an index; the name only later; as an object.
  assert.deepEqual(partsOf([named(0, 'call_a', 'f', '{}'), named(0, 'call_b', 'g', '{}')]).filter(isCall), [
    ['tool-call', 'call_a', '{}'],
    ['tool-call', 'call_b', '{}'],
  ]);
  assert.deepEqual(partsOf([named(undefined, null, 'f', '{}'), named(undefined, null, 'g', { y: 2 })]).filter(isCall), [
    ['tool-call', 'call_chatcmpl1_1', '{}'],
    ['tool-call', 'call_chatcmpl1_2', '{"y":2}'],
  ]);
  assert.deepEqual(partsOf([named(0, 'call_a', null, '{"x":'), named(0, null, 'f', '1}')]), [
    ['tool-input-start', 'call_a', 'f'],
    ['tool-input-delta', 'call_a', '{"x":1}'],
    ['tool-call', 'call_a', '{"x":1}'],
  ]);
  assert.deepEqual(partsOf([named(0, 'same', 'f', '{}'), named(1, 'same', 'g', '{}')]).filter(isCall), [
    ['tool-call', 'same', '{}'],
    ['tool-call', 'call_chatcmpl1_2', '{}'],
  ]);
});

test('[PV45] thoughts are read under every name that servers have for them', () => {
  const expected = [
    ['reasoning-start', '1'],
    ['reasoning-delta', '1', 'Hm.'],
    ['reasoning-end', '1'],
    ['text-start', '2'],
    ['text-delta', '2', 'Yes.'],
    ['text-end', '2'],
  ];
  for (const thinking of [
    { reasoning_content: 'Hm.', content: null },
    { reasoning: 'Hm.', reasoning_content: null, content: '' },
    { content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] },
    { content: '<think>\nHm.\n</think>\n\n' },
  ]) {
    assert.deepEqual(partsOf([{ role: 'assistant', content: '' }, thinking, { content: 'Yes.' }]), expected);
  }
});

test('[PV46] the thoughts of OpenRouter keep their own form, and its calls their price', () => {
  const details = [{ type: 'reasoning.encrypted', data: 'sealed', format: 'x', index: 0 }];
  const parts = read(
    [{ reasoning: 'Hm.', reasoning_details: [] }, { reasoning_details: details }, { content: 'Yes.' }],
    {
      usage: { prompt_tokens: 5, completion_tokens: 7, cost: 0.0125, prompt_tokens_details: { cached_tokens: 3 } },
    },
  );
  assert.deepEqual(
    parts.find(({ type }) => type === 'reasoning-end'),
    { type: 'reasoning-end', id: '1', providerMetadata: { openrouter: { reasoning_details: details } } },
  );
  assert.deepEqual(parts.at(-1), {
    type: 'usage',
    usage: { input_tokens: 5, output_tokens: 7, cached_input_tokens: 3, cost_usd: 0.0125 },
  });
});

test('[PV45] null and nothing mean the same, and what is not known is kept', () => {
  const nothing = { role: null, content: null, tool_calls: null, reasoning_content: null, refusal: null, images: null };
  assert.deepEqual(partsOf([nothing, {}, { content: [] }]), []);
  const reader = createChatReader({ provider: 'x', hasThinkTags: true });
  assert.deepEqual(reader({ choices: [], usage: null }), []);
  assert.deepEqual(reader({ choices: null, surprise: 1 }), [{ type: 'raw', rawValue: { choices: null, surprise: 1 } }]);
  assert.deepEqual(reader({ error: { message: 'busy', code: 'server_is_overloaded' } }), [
    { type: 'error', error: { statusCode: 503, message: 'busy', type: undefined, code: 'server_is_overloaded' } },
  ]);
});

function isCall([type]: readonly unknown[]): boolean {
  return type === 'tool-call';
}

/** Returns the parts of an answer with these deltas: the type, the id and the text of each. */
function partsOf(deltas: readonly object[]): unknown[][] {
  return read(deltas).map((part) => {
    switch (part.type) {
      case 'tool-call':
        return [part.type, part.toolCallId, part.input];
      case 'tool-input-start':
        return [part.type, part.id, part.toolName];
      case 'tool-input-delta':
      case 'text-delta':
      case 'reasoning-delta':
        return [part.type, part.id, part.delta];
      default:
        return 'id' in part ? [part.type, part.id] : [part.type];
    }
  });
}

function read(deltas: readonly object[], last: object = {}): StreamPart[] {
  const reader = createChatReader({ provider: 'openrouter', hasThinkTags: true });
  const chunks = deltas.map((delta) => ({ id: 'chatcmpl-1', choices: [{ delta, finish_reason: null }] }));
  const end = { id: 'chatcmpl-1', choices: [{ delta: {}, finish_reason: 'stop' }], ...last };
  return [...chunks, end].flatMap((chunk) => reader(chunk) ?? []);
}

test('[PV45] what Groq tells of a stream is its usage', () => {
  const read = createChatReader({ provider: 'groq', hasThinkTags: true });
  const usage = { prompt_tokens: 20, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 16 } };
  assert.deepEqual(
    read({ choices: [{ delta: { content: 'x' } }], x_groq: { id: 'req_1' } })?.at(-1)?.type,
    'text-delta',
  );
  assert.deepEqual(read({ choices: [{ delta: {}, finish_reason: 'stop' }], x_groq: { id: 'req_1', usage } })?.at(-1), {
    type: 'usage',
    usage: { input_tokens: 20, output_tokens: 7, cached_input_tokens: 16 },
  });
});
