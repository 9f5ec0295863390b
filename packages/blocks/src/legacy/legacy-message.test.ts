import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { FormatError, isBlank, isPlainObject, messagesEqual } from '@loom/blocks';
import {
  ToolArgumentParseError,
  isLegacyMessage,
  legacyToContentBlocks,
  normalizeMessage,
  parseToolArguments,
  toLegacyMessage,
} from '@loom/blocks/legacy';
import { anyMessage, anyParameters, anyText, findCorpus } from '@loom/blocks/testing';

const call = (id: string, name: string, text: string) => ({
  id,
  type: 'function' as const,
  function: { name, arguments: text },
});

test('[LG1] a string becomes one text block with the original string, not trimmed', () => {
  assert.deepEqual(normalizeMessage({ role: 'user', content: '  hello\n' }), {
    role: 'user',
    content: [{ type: 'text', text: '  hello\n' }],
  });
  fc.assert(
    fc.property(anyText, (content) => {
      if (isBlank(content)) assert.throws(() => normalizeMessage({ role: 'user', content }), FormatError);
      else assert.deepEqual(normalizeMessage({ role: 'user', content }).content, [{ type: 'text', text: content }]);
    }),
  );
});

test('[LG2] blank, empty and null content give no text block; calls keep their order behind the text', () => {
  const calls = [call('a', 'one', '{"x":1}'), call('b', 'two', '')];
  for (const content of [null, '', ' \n', undefined]) {
    assert.deepEqual(
      legacyToContentBlocks({ ...(content === undefined ? {} : { content }), tool_calls: calls }).map(
        ({ type }) => type,
      ),
      ['tool-use', 'tool-use'],
    );
  }
  assert.deepEqual(normalizeMessage({ role: 'assistant', content: 'text', tool_calls: calls }), {
    role: 'assistant',
    content: [
      { type: 'text', text: 'text' },
      { type: 'tool-use', id: 'a', name: 'one', parameters: { x: 1 } },
      { type: 'tool-use', id: 'b', name: 'two', parameters: {}, arguments: '' },
    ],
  });
});

test('[LG3] the exact argument string is kept whenever it is not the plain spelling of the parameters', () => {
  fc.assert(
    fc.property(anyParameters, fc.constantFrom(undefined, 1, '\t'), (parameters, indent) => {
      const text = JSON.stringify(parameters, undefined, indent);
      const parsed = parseToolArguments(text);
      assert.ok(parsed.ok);
      assert.equal(parsed.fields.arguments ?? JSON.stringify(parsed.fields.parameters), text);
      assert.deepEqual(parsed.fields.parameters, JSON.parse(text));
    }),
  );
  for (const text of ['{"n":12345678901234567890}', '{"a":1,"a":2}', ' {} ', '{"__proto__": 1}']) {
    const parsed = parseToolArguments(text);
    assert.ok(parsed.ok);
    assert.equal(parsed.fields.arguments, text);
  }
});

test('[LG4] malformed arguments are an error that says which call, what it read and why', () => {
  for (const text of ['{"cut', 'null', '[1]', '5', '"x"', 'not json']) {
    assert.throws(
      () => normalizeMessage({ role: 'assistant', content: null, tool_calls: [call('call_7', 'search', text)] }),
      (error) => {
        assert.ok(error instanceof ToolArgumentParseError);
        assert.equal(error.code, 'invalid-tool-arguments');
        assert.equal(error.toolCallId, 'call_7');
        assert.equal(error.toolName, 'search');
        assert.equal(error.rawArguments, text);
        assert.ok(error.parseError.length > 0 && error.message.includes('call_7'));
        return true;
      },
    );
  }
});

test('[LG5] a message without anything in it, a call without id or name, and a result without a call id are errors', () => {
  for (const wrong of [
    { role: 'user', content: '' },
    { role: 'user', content: null },
    { role: 'assistant', content: null },
    { role: 'assistant', content: null, tool_calls: [] },
    { role: 'assistant', content: ' ', tool_calls: null },
    { role: 'assistant', content: null, tool_calls: [call(' ', 'x', '{}')] },
    { role: 'assistant', content: null, tool_calls: [call('1', '', '{}')] },
    { role: 'assistant', content: null, tool_calls: 'x' },
    { role: 'tool', content: 'x' },
    { role: 'tool', content: 'x', tool_call_id: '  ' },
    { role: 'narrator', content: 'x' },
    { content: 'x' },
    null,
    'x',
  ]) {
    assert.throws(() => normalizeMessage(wrong), FormatError);
  }
  assert.throws(() => legacyToContentBlocks({ tool_calls: [call('', 'x', '{}')] }), FormatError);
});

test('[LG6] an empty tool result is legal', () => {
  for (const content of ['', null, '\n']) {
    assert.deepEqual(normalizeMessage({ role: 'tool', content, tool_call_id: 'c' }), {
      role: 'tool',
      content: [],
      tool_call_id: 'c',
    });
  }
});

test('[LG7] a legacy system message is kept whole, since the prompt belongs to the root', () => {
  const system = { role: 'system', content: 'be brief', name: 'setup' };
  assert.deepEqual(normalizeMessage(system), {
    role: 'user',
    content: [{ type: 'raw', source: 'loom', value: system }],
  });
});

test('[LG8] block messages pass unchanged, and their faults are errors', () => {
  fc.assert(fc.property(anyMessage, (message) => assert.deepEqual(normalizeMessage(message), message)));
  const use = { type: 'tool-use', id: 'x', name: 'x', parameters: {} };
  for (const wrong of [
    { role: 'assistant', content: [] },
    { role: 'user', content: [use] },
    { role: 'tool', content: [use], tool_call_id: 'x' },
    { role: 'tool', content: [] },
    { role: 'assistant', content: [{ type: 'unknown-type', data: 1 }] },
  ]) {
    assert.throws(() => normalizeMessage(wrong), FormatError);
  }
});

test('[LG9] the guard knows the generations before content blocks from the later ones', () => {
  assert.ok(isLegacyMessage({ role: 'user', content: 'x' }));
  assert.ok(isLegacyMessage({ role: 'assistant', content: null, tool_calls: [call('1', 'x', '{}')] }));
  assert.equal(isLegacyMessage({ role: 'user', content: [{ type: 'text', text: 'x' }] }), false);
  assert.equal(isLegacyMessage({ role: 'tool', content: 'x' }), false);
  assert.equal(isLegacyMessage(null), false);
});

test('[LG10] back to legacy and here again: text, calls and results survive, and a second trip changes nothing', () => {
  const messages = [
    { role: 'user', content: ' hi ' },
    { role: 'assistant', content: 'x', tool_calls: [call('1', 'f', '{"a": 1}')] },
    { role: 'assistant', content: null, tool_calls: [call('1', 'f', '{}')] },
    { role: 'tool', content: '', tool_call_id: '1' },
    { role: 'tool', content: 'done', tool_call_id: '1' },
  ];
  for (const legacy of messages) assert.deepEqual(toLegacyMessage(normalizeMessage(legacy)), legacy);
  fc.assert(
    fc.property(anyMessage, (message) => {
      const once = toLegacyMessage(message);
      if (message.role !== 'tool' && isBlank(once.content ?? '') && !('tool_calls' in once)) return;
      if (message.content.some((block) => block.type === 'tool-use' && block.arguments?.startsWith('{"cut'))) return;
      const again = normalizeMessage(once);
      const twice = normalizeMessage(toLegacyMessage(again));
      assert.ok(messagesEqual(again, twice));
    }),
  );
});

test('[LG11] every node of the six generations is read, and the malformed ones are refused', (t) => {
  const corpus = findCorpus('loom');
  if (!corpus.found) return t.skip(corpus.reason);
  const refused: string[] = [];
  let read = 0;
  for (const file of readdirSync(corpus.directory, { recursive: true, encoding: 'utf8' })) {
    if (!/\/nodes\/[^/]+\.json$/.test(file)) continue;
    try {
      const node: unknown = JSON.parse(readFileSync(join(corpus.directory, file), 'utf8'));
      normalizeMessage(isPlainObject(node) ? node['message'] : undefined);
      read += 1;
    } catch (error) {
      assert.ok(
        error instanceof FormatError || error instanceof ToolArgumentParseError || error instanceof SyntaxError,
      );
      refused.push(file);
    }
  }
  assert.ok(read > 80);
  const malformed = /^test-fixtures\/(?:10|11|15|16|17|18|19|20|21|22)-/;
  assert.deepEqual(
    refused.filter((file) => !malformed.test(file)),
    [],
  );
  assert.ok(refused.length >= 10);
});
