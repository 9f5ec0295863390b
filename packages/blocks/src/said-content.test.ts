import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { messagesEqual, saysNothing, saysSame } from './index.ts';
import type { AssistantBlock, Message } from './index.ts';
import { anyMessage } from './testing/arbitraries.ts';

type Content = [AssistantBlock, ...AssistantBlock[]];

function answer(...content: Content): Message {
  return { role: 'assistant', content };
}

function text(said: string): AssistantBlock {
  return { type: 'text', text: said };
}

function call(parameters: Record<string, unknown>, exact?: string): AssistantBlock {
  const block = { type: 'tool-use' as const, id: 'c1', name: 'read', parameters };
  return exact === undefined ? block : { ...block, arguments: exact };
}

const error: AssistantBlock = { type: 'error', code: 'network', message: 'The line is dead.' };
const sources: AssistantBlock = { type: 'sources', sources: [{ id: '1', url: 'https://example.org', title: 'x' }] };

test('[NC10] thinking, sources and errors do not count in what is said', () => {
  const said = answer({ type: 'thinking', text: 'hm' }, text('a'), sources, error);
  assert.ok(saysSame(said, answer(text('a'))));
  assert.ok(saysSame(answer(text('a')), said));
  assert.equal(saysSame(said, answer(text('b'))), false);
  assert.equal(saysSame(said, { role: 'user', content: [{ type: 'text', text: 'a' }] }), false);
});

test('[NC10] a call that was cut off does not count in what is said', () => {
  assert.ok(saysSame(answer(text('a'), { ...call({}), status: 'error' }), answer(text('a'))));
  assert.equal(saysSame(answer(text('a'), call({})), answer(text('a'))), false);
});

test('[NC11] adjacent texts may be joined with any white space or none, and white space at the end does not count', () => {
  const two = answer(text('one \n'), { type: 'thinking', text: 'hm' }, text(' two'));
  for (const joined of ['onetwo', 'one two', 'one\n\ntwo', 'one \n two\n']) {
    assert.ok(saysSame(two, answer(text(joined))), joined);
    assert.ok(saysSame(answer(text(joined)), two), joined);
  }
  assert.ok(saysSame(answer(text('ab'), text('cd'), text('e')), answer(text('a'), text('b c'), text('de'))));
  assert.equal(saysSame(two, answer(text('one tw o'))), false);
  assert.equal(saysSame(two, answer(text('one'))), false);
  assert.equal(saysSame(answer(text('a b')), answer(text('ab'))), false);
  assert.equal(saysSame(answer(text('  a')), answer(text('a'))), false);
});

test('[NC12] calls are the same by id, name and what their arguments mean, wherever texts stand between them', () => {
  const said = answer(text('a'), call({ x: 1, y: [2] }));
  assert.ok(saysSame(said, answer(call({ y: [2], x: 1 }, '{ "y": [2], "x": 1.0 }'), text('a'))));
  assert.equal(saysSame(said, answer(text('a'), call({ x: 1, y: [3] }))), false);
  const malformed = answer(call({}, '{"x": '));
  assert.ok(saysSame(malformed, answer(call({}, ' {"x":  \n'.trimEnd()))));
  assert.equal(saysSame(malformed, answer(call({}, '{"y": '))), false);
  assert.equal(saysSame(malformed, answer(call({}))), false);
});

test('[NC12] results are the same by the call and what they say; an image stays where it is among texts', () => {
  const result = (id: string, said: string, is_error = false): Message => ({
    role: 'tool',
    tool_call_id: id,
    is_error,
    content: [{ type: 'text', text: said }],
  });
  assert.ok(saysSame(result('c1', 'fine\n', true), result('c1', 'fine')));
  assert.equal(saysSame(result('c1', 'fine'), result('c2', 'fine')), false);
  const image: AssistantBlock = { type: 'image', media_type: 'image/png', url: 'https://example.org/x.png' };
  assert.ok(saysSame(answer(text('a'), image, text('b')), answer(text('a '), image, text('b'))));
  assert.equal(saysSame(answer(text('a'), image, text('b')), answer(image, text('a'), text('b'))), false);
});

test('[NC13] of a message of nothing but thinking, sources, errors and blanks nothing is repeated; a result always says something', () => {
  assert.ok(saysNothing(answer({ type: 'thinking', text: 'hm' }, sources, error, text(' '))));
  assert.equal(saysNothing(answer(call({}))), false);
  assert.equal(saysNothing({ role: 'tool', tool_call_id: 'c1', content: [] }), false);
});

test('[NC13] messages that are equal exactly say the same', () => {
  fc.assert(
    fc.property(anyMessage, anyMessage, (left, right) => {
      assert.ok(saysSame(left, structuredClone(left)));
      assert.equal(saysSame(left, right), saysSame(right, left));
      if (messagesEqual(left, right)) assert.ok(saysSame(left, right));
    }),
  );
});
