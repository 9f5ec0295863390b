import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { commonPrefix, isBlank, messagesEqual, normalizeForComparison, stableDeepEqual } from './index.ts';
import type { Message } from './index.ts';
import { anyMessage } from './testing/arbitraries.ts';

const say = (...texts: [string, ...string[]]): Message => {
  const [first, ...rest] = texts.map((text) => ({ type: 'text' as const, text }));
  return { role: 'user', content: [first ?? { type: 'text', text: '' }, ...rest] };
};

test('[NC1] blank text blocks do not count, and the text of the others is compared exactly', () => {
  assert.ok(messagesEqual(say('', 'hello', ' \n\t'), say('hello')));
  assert.equal(messagesEqual(say('hello '), say('hello')), false);
  assert.equal(messagesEqual(say('a', 'b'), say('ab')), false);
});

test('[NC2] messages that are empty then are left out, and the index map leads back to the originals', () => {
  const { messages, originalIndex } = normalizeForComparison([say(' '), say('a'), say('\n', ''), say('b')]);
  assert.equal(messages.length, 2);
  assert.deepEqual(originalIndex, [1, 3]);
});

test('[NC3] a message of calls alone stays', () => {
  const call: Message = { role: 'assistant', content: [{ type: 'tool-use', id: '1', name: 'x', parameters: {} }] };
  assert.deepEqual(normalizeForComparison([call]).originalIndex, [0]);
});

test('[NC4] an empty tool message stays, because it answers a call', () => {
  const empty: Message = { role: 'tool', content: [], tool_call_id: '1' };
  const blank: Message = { role: 'tool', content: [{ type: 'text', text: ' ' }], tool_call_id: '1' };
  assert.deepEqual(normalizeForComparison([empty, blank]).originalIndex, [0, 1]);
  assert.ok(messagesEqual(empty, blank));
});

test('[NC5] record fields do not count; role, call id and is_error do', () => {
  const result: Message = { role: 'tool', content: [{ type: 'text', text: 'x' }], tool_call_id: '1' };
  const recorded: Message = {
    role: 'tool',
    content: [{ type: 'text', text: 'x', status: 'done', version: 4, provider: { openai: { id: 'x' } }, agent: 'me' }],
    tool_call_id: '1',
  };
  assert.ok(messagesEqual(result, recorded));
  assert.ok(messagesEqual(result, { ...result, is_error: false }));
  assert.equal(messagesEqual(result, { ...result, is_error: true }), false);
  assert.equal(messagesEqual(result, { ...result, tool_call_id: '2' }), false);
  assert.equal(messagesEqual(say('x'), { role: 'assistant', content: [{ type: 'text', text: 'x' }] }), false);
});

test('[NC6] calls are equal by id, name and parameters, whatever the order of keys, and by their exact arguments', () => {
  const call = (fields: {
    id?: string;
    name?: string;
    parameters?: Record<string, unknown>;
    arguments?: string;
  }): Message => ({
    role: 'assistant',
    content: [{ type: 'tool-use', id: '1', name: 'x', parameters: { a: 1, b: { c: [1, 2] } }, ...fields }],
  });
  assert.ok(messagesEqual(call({}), call({ parameters: { b: { c: [1, 2] }, a: 1 } })));
  assert.equal(messagesEqual(call({}), call({ parameters: { a: 1, b: { c: [2, 1] } } })), false);
  assert.equal(messagesEqual(call({}), call({ id: '2' })), false);
  assert.equal(messagesEqual(call({}), call({ name: 'X' })), false);
  assert.equal(messagesEqual(call({ arguments: '{"n": 1}' }), call({ arguments: '{"n":  1}' })), false);
});

test('[NC7] the originals are not altered and every index points at a message that says something', () => {
  fc.assert(
    fc.property(fc.array(anyMessage), (originals) => {
      const before = structuredClone(originals);
      const { messages, originalIndex } = normalizeForComparison(originals);
      assert.deepEqual(originals, before);
      assert.equal(messages.length, originalIndex.length);
      assert.deepEqual(
        [...originalIndex].sort((a, b) => a - b),
        originalIndex,
      );
      const kept = new Set(originalIndex);
      for (const [index, message] of originals.entries()) {
        const says = message.content.some((block) => block.type !== 'text' || !isBlank(block.text));
        assert.equal(kept.has(index), says || message.role === 'tool');
      }
    }),
  );
});

test('[NC8] the common prefix is counted over what is compared, and leads back to the originals', () => {
  const left = [say('a'), say(' '), say('b'), say('c')];
  const right = [say('a'), say('b', ''), say('d')];
  assert.deepEqual(commonPrefix(left, right), { length: 2, leftEnd: 3, rightEnd: 2 });
  assert.deepEqual(commonPrefix([], right), { length: 0, leftEnd: 0, rightEnd: 0 });
  assert.deepEqual(commonPrefix(left, left), { length: 3, leftEnd: 4, rightEnd: 4 });
});

/** A message and one that may say the same: blanks put in, record fields added, a word changed, or nothing at all. */
const anyVariant = (message: Message) =>
  fc.constantFrom('same', 'blank', 'record', 'changed').map((change): Message => {
    const blank = { type: 'text' as const, text: ' \n' };
    const record = { status: 'done' as const, version: 3, provider: { x: { y: 1 } } };
    switch (message.role) {
      case 'user': {
        const [first, ...rest] = message.content;
        if (change === 'blank') return { ...message, content: [blank, first, ...rest] };
        if (change === 'record') return { ...message, content: [{ ...first, ...record }, ...rest] };
        if (change === 'changed') return { ...message, content: [first, ...rest, { type: 'text', text: 'more' }] };
        return message;
      }
      case 'assistant': {
        const [first, ...rest] = message.content;
        if (change === 'blank') return { ...message, content: [first, blank, ...rest] };
        if (change === 'record') return { ...message, content: [{ ...first, ...record }, ...rest] };
        if (change === 'changed') return { ...message, content: [{ type: 'text', text: 'more' }, first, ...rest] };
        return message;
      }
      case 'tool':
        if (change === 'blank') return { ...message, content: [...message.content, blank] };
        if (change === 'record') return { ...message, is_error: message.is_error === true };
        if (change === 'changed') return { ...message, is_error: message.is_error !== true };
        return message;
    }
  });

test('[NC9] comparing messages directly agrees with comparing their normal forms', () => {
  const anyPair = anyMessage.chain((left) => fc.tuple(fc.constant(left), fc.oneof(anyVariant(left), anyMessage)));
  fc.assert(
    fc.property(fc.array(anyPair, { maxLength: 6 }), (pairs) => {
      const left = pairs.map(([message]) => message);
      const right = pairs.map(([, message]) => message);
      for (const [a, b] of pairs) {
        const [normalA] = normalizeForComparison([a]).messages;
        const [normalB] = normalizeForComparison([b]).messages;
        assert.equal(messagesEqual(a, b), a.role === b.role && stableDeepEqual(normalA, normalB));
      }
      const [formsA, formsB] = [normalizeForComparison(left), normalizeForComparison(right)];
      let length = 0;
      while (length < formsA.messages.length && stableDeepEqual(formsA.messages[length], formsB.messages[length]))
        length += 1;
      const prefix = commonPrefix(left, right);
      assert.equal(prefix.length, length);
      assert.equal(prefix.leftEnd, length === 0 ? 0 : (formsA.originalIndex[length - 1] ?? -1) + 1);
      assert.equal(prefix.rightEnd, length === 0 ? 0 : (formsB.originalIndex[length - 1] ?? -1) + 1);
    }),
    { numRuns: 1000 },
  );
});
