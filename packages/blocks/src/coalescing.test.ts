import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { coalesceTextOnlyAdjacent, isTextOnly } from './index.ts';
import type { Message, MessageInSequence } from './index.ts';
import { anyMessage, anyTextMessage } from './testing/arbitraries.ts';
import { assertLinear, countWork } from './testing/counted-work.ts';
import type { CountedWork } from './testing/counted-work.ts';

const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] });
const model = (text: string): Message => ({ role: 'assistant', content: [{ type: 'text', text }] });
const call: Message = {
  role: 'assistant',
  content: [
    { type: 'text', text: 'look' },
    { type: 'tool-use', id: '1', name: 'x', parameters: {} },
  ],
};
const result = (id: string): Message => ({ role: 'tool', content: [{ type: 'text', text: 'r' }], tool_call_id: id });

const coalesce = (...messages: Message[]) =>
  coalesceTextOnlyAdjacent(messages.map((message) => ({ message }))).map(({ message }) => message);

const textOf = (sequence: readonly { message: Message }[]) =>
  sequence
    .flatMap(({ message }) =>
      message.content.map((block) => (block.type === 'text' ? block.text : JSON.stringify(block))),
    )
    .join('');

test('[CO1] adjacent text-only messages of one role become one message with separate blocks', () => {
  assert.deepEqual(coalesce(user('a'), user('b'), model('c'), model('d')), [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'c' },
        { type: 'text', text: 'd' },
      ],
    },
  ]);
});

test('[CO2] halves of a split message join without a seam', () => {
  const joined = coalesceTextOnlyAdjacent([
    { message: model('one ') },
    { message: model('two'), continues: true },
    { message: model('three') },
  ]);
  assert.deepEqual(joined, [
    {
      message: {
        role: 'assistant',
        content: [
          { type: 'text', text: 'one two' },
          { type: 'text', text: 'three' },
        ],
      },
      start: 0,
      end: 3,
    },
  ]);
});

test('[CO3] a message with a call is never joined to anything', () => {
  assert.equal(coalesce(model('a'), call, model('b')).length, 3);
});

test('[CO4] tool messages are never joined, nor is anything across them', () => {
  assert.equal(coalesce(result('1'), result('1')).length, 2);
  assert.equal(coalesce(model('a'), result('1'), model('b')).length, 3);
});

test('[CO5] a message with any block other than text is not joined', () => {
  const thought: Message = {
    role: 'assistant',
    content: [
      { type: 'thinking', text: 'hm' },
      { type: 'text', text: 'a' },
    ],
  };
  assert.equal(coalesce(model('a'), thought, model('b')).length, 3);
});

test('[CO6] `continues` never joins what may not be joined', () => {
  const joined = coalesceTextOnlyAdjacent([{ message: call }, { message: model('b'), continues: true }]);
  assert.equal(joined.length, 2);
});

const anySequence = fc.array(
  fc.record({ message: fc.oneof(anyTextMessage, anyMessage), continues: fc.boolean() }, { requiredKeys: ['message'] }),
);

test('[CO7] text, order and ranges are kept, inputs are not altered, and doing it again changes nothing', () => {
  fc.assert(
    fc.property(anySequence, (sequence: MessageInSequence[]) => {
      const before = structuredClone(sequence);
      const once = coalesceTextOnlyAdjacent(sequence);
      assert.deepEqual(structuredClone(sequence), before);
      assert.equal(textOf(once), textOf(sequence));
      assert.deepEqual(
        once.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, offset) => start + offset)),
        [...sequence.keys()],
      );
      const twice = coalesceTextOnlyAdjacent(once.map(({ message }) => ({ message })));
      assert.deepEqual(
        twice.map(({ message }) => message),
        once.map(({ message }) => message),
      );
    }),
  );
});

test('[CO8] afterwards no two neighbours of one role are both text-only', () => {
  fc.assert(
    fc.property(anySequence, (sequence: MessageInSequence[]) => {
      const messages = coalesceTextOnlyAdjacent(sequence).map(({ message }) => message);
      return messages.every((message, index) => {
        const next = messages[index + 1];
        return next === undefined || message.role !== next.role || !isTextOnly(message) || !isTextOnly(next);
      });
    }),
  );
});

test('[CO2] what only people see is not joined to what models see, and stays apart when it is joined to its like', () => {
  const aside = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text, ephemeral: true }] });
  const join = (left: Message, right: Message) =>
    coalesceTextOnlyAdjacent([{ message: left }, { message: right, continues: true }]).map(({ message }) => message);
  assert.deepEqual(join(aside('a'), aside('b')), [aside('ab')]);
  assert.deepEqual(join(user('a'), aside('b'))[0]?.content, [...user('a').content, ...aside('b').content]);
});

test('[CO9] twice as many messages in a run are joined with twice the work', () => {
  const join = (count: number): CountedWork => {
    const sequence = Array.from({ length: count }, (_, index) => ({ message: user(`${index}`) }));
    return countWork(() => {
      const [joined, ...others] = coalesceTextOnlyAdjacent(sequence);
      assert.equal(joined?.message.content.length, count);
      assert.equal(others.length, 0);
    });
  };
  assertLinear(join(10_000), join(20_000));
});
