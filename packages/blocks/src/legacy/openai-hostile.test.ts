import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMessage } from '@loom/blocks';
import type { Message } from '@loom/blocks';
import { fromOpenAIMessages, toOpenAIMessages } from '@loom/blocks/legacy';
import { assertLinear, countWork } from '../testing/counted-work.ts';
import type { CountedWork } from '../testing/counted-work.ts';

/** Reads an array, checks that everything is valid and clean as it stands, and that it survives being written. */
function read(...array: unknown[]): Message[] {
  const conversation = fromOpenAIMessages(array);
  const { messages } = conversation;
  for (const message of messages) assert.deepEqual(parseMessage(message), message);
  assert.deepEqual(fromOpenAIMessages(toOpenAIMessages(conversation)).messages, messages);
  return messages;
}

const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });

test('[OA12] names that every object inherits are ordinary words', () => {
  for (const word of ['constructor', '__proto__', 'toString', 'valueOf', 'hasOwnProperty']) {
    const element = { role: word, content: 'x' };
    assert.deepEqual(read(element), [{ role: 'user', content: [{ type: 'raw', source: 'openai', value: element }] }]);
    const part = { type: word, text: 'x' };
    assert.deepEqual(read({ role: 'user', content: [part] }), [
      { role: 'user', content: [{ type: 'raw', source: 'openai', value: part }] },
    ]);
  }
});

test('[OA12] objects that cannot become text stand anywhere', () => {
  const odd: unknown = JSON.parse('{"toString":1,"valueOf":2}');
  const elements = [
    { role: odd, content: 'x' },
    { role: 'assistant', content: odd, thinking_blocks: [{ type: 'thinking', thinking: odd }], reasoning_content: 'x' },
    { role: 'user', content: [odd, { type: odd }] },
    { role: 'tool', tool_call_id: odd, name: odd, content: odd },
  ];
  assert.equal(read(...elements).length, elements.length);
});

test('[OA12] lone surrogates and NUL are gone from every string that is not kept as it came', () => {
  const broken = 'a\uD83D\0';
  const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
  const messages = read(
    { role: 'user', content: [broken, { type: 'document', title: broken, source }] },
    { role: 'assistant', reasoning_content: broken, tool_calls: [call(broken)] },
    { role: 'tool', tool_call_id: broken, content: broken },
    { type: 'reasoning', summary: [{ type: 'summary_text', text: broken }] },
    { role: 'assistant', tool_calls: [{ id: '2', function: { name: broken, arguments: `{"a":"${broken}` } }] },
    { role: 'assistant', tool_calls: [{ id: '3', type: 'custom', custom: { name: 'f', input: broken } }] },
  );
  assert.ok(!JSON.stringify(messages).includes('\\ud83d'));
  assert.deepEqual(
    messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : [])),
    ['a\uFFFD\uFFFD'],
  );
});

test('[OA12] a part that looks like a message stays a part', () => {
  for (const part of [{ role: 'user', content: 'x' }, { role: null }, { role: 'admin', content: [] }]) {
    read({ role: 'user', content: [part] });
    read({ role: 'user', name: 'me', content: [part] });
  }
  const system: Message = {
    role: 'user',
    content: [{ type: 'raw', source: 'openai', value: { role: 'system', content: 'x' } }],
  };
  assert.deepEqual(fromOpenAIMessages(toOpenAIMessages({ messages: [system] })), {
    messages: [system],
    origin: [0],
    notes: [
      {
        index: 0,
        kind: 'kept-raw',
        tag: 'part=role',
        message: 'kept as it is (part=role): Loom has not met this shape yet',
      },
    ],
  });
});

test('[OA13] raw blocks keep their provider data and their reserved names', () => {
  const provider = { openai: { item: 1 } };
  const messages: Message[] = [
    { role: 'user', content: [{ type: 'raw', source: 'openai', value: { type: 'hologram' }, provider }] },
    { role: 'assistant', content: [{ type: 'tool-use', id: '1', name: 'f', parameters: {} }] },
    { role: 'tool', tool_call_id: '1', content: [{ type: 'raw', source: 'openai-message', value: { kept: true } }] },
  ];
  assert.deepEqual(fromOpenAIMessages(toOpenAIMessages({ messages })).messages, messages);
});

test('[OA17] neither depth nor length makes reading fail, and twice the length takes twice the work', () => {
  const [half, all] = [5_000, 10_000].map(hostileArrays);
  assert.ok(half !== undefined && all !== undefined);
  for (const [name, array] of Object.entries(all)) {
    const read = (source: readonly unknown[]): CountedWork =>
      countWork(() => assert.equal(fromOpenAIMessages(source).messages.length, source.length));
    assertLinear(read(half[name] ?? []), read(array), name);
  }
});

/** Arrays in which everything is deep or there many times. */
function hostileArrays(count: number): Record<string, unknown[]> {
  let deep: unknown = 'x';
  for (let level = 0; level < 5 * count; level += 1) deep = [{ type: 'tool_result', tool_use_id: '1', content: deep }];
  const numbers = Array.from({ length: count }, (_, index) => index);
  return {
    'a result in a result in a result': [{ role: 'user', content: deep }],
    'a role that is a list in a list': [{ role: deep, content: 'x' }],
    'many calls in one message': [{ role: 'assistant', tool_calls: numbers.map(() => call('c')) }],
    'many calls, answered backwards': [
      { role: 'assistant', tool_calls: numbers.map((n) => call(`c${n}`)) },
      ...numbers.map((n) => ({ role: 'tool', tool_call_id: `c${count - 1 - n}`, content: 'x' })),
    ],
    'many calls without an answer, and as many answers without a call': [
      ...numbers.map((n) => ({ role: 'assistant', tool_calls: [call(`c${n}`)] })),
      ...numbers.map((n) => ({ role: 'tool', tool_call_id: `d${n}`, content: 'x' })),
    ],
    'many calls without ids, and answers by name': [
      ...numbers.map(() => ({ role: 'assistant', function_call: { name: 'f', arguments: '{}' } })),
      ...numbers.map(() => ({ role: 'function', name: 'f', content: 'x' })),
    ],
  };
}
