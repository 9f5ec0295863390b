import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  FormatError,
  acceptBlock,
  acceptedSpellings,
  acceptMessage,
  blockKind,
  blockKinds,
  canonicalType,
  contentBlock,
} from './index.ts';

test('[SP1] the block types and field names of older documents are accepted', () => {
  const cases: [unknown, unknown][] = [
    [
      { type: 'tool_call', toolUseId: '1', toolName: 'Read', input: { a: 1 } },
      { type: 'tool-use', id: '1', name: 'Read', parameters: { a: 1 } },
    ],
    [
      { type: 'tool_use', id: '1', name: 'Read', input: {} },
      { type: 'tool-use', id: '1', name: 'Read', parameters: {} },
    ],
    [
      { type: 'code', content: 'x', startLine: 1, totalLines: 2 },
      { type: 'code', content: 'x', start_line: 1, total_lines: 2 },
    ],
    [
      { type: 'command', command: 'x', exitCode: 1, durationMs: 5 },
      { type: 'command', command: 'x', exit_code: 1, duration_ms: 5 },
    ],
    [
      { type: 'file_change', changes: [{ path: 'a', kind: 'modify' }] },
      { type: 'file-change', changes: [{ path: 'a', kind: 'modify' }] },
    ],
    [
      { type: 'text', text: 'x' },
      { type: 'text', text: 'x' },
    ],
  ];
  for (const [given, expected] of cases) assert.deepEqual(acceptBlock(given), expected);
});

test('[SP2] two spellings of one field in one block are refused, not merged', () => {
  assert.throws(() => acceptBlock({ type: 'command', command: 'x', exitCode: 0, exit_code: 1 }), FormatError);
});

test('[SP3] the role model is assistant', () => {
  assert.deepEqual(acceptMessage({ role: 'model', content: [{ type: 'text', text: 'x' }] }), {
    role: 'assistant',
    content: [{ type: 'text', text: 'x' }],
  });
});

test('[SP4] a tool_result block is a tool message', () => {
  const accept = (block: object) =>
    acceptMessage({ role: 'user', content: [{ type: 'tool_result', toolUseId: '1', ...block }] });
  const text = [{ type: 'text', text: 'x' }];
  assert.deepEqual(accept({ toolName: 'Read', result: 'x' }), { role: 'tool', tool_call_id: '1', content: text });
  assert.deepEqual(accept({ result: 'x', isError: true }), {
    role: 'tool',
    tool_call_id: '1',
    is_error: true,
    content: text,
  });
  assert.deepEqual(accept({ content: text }), { role: 'tool', tool_call_id: '1', content: text });
  assert.deepEqual(accept({ result: { a: 1 } }), {
    role: 'tool',
    tool_call_id: '1',
    content: [{ type: 'text', text: '{"a":1}' }],
  });
  assert.deepEqual(accept({ result: null }), { role: 'tool', tool_call_id: '1', content: [] });
  assert.throws(() => acceptMessage({ role: 'user', content: [{ type: 'tool_result', result: 'x' }] }), FormatError);
  // The fields of the message around it count too, and must not disagree.
  const whole = (fields: object) =>
    acceptMessage({ role: 'tool', ...fields, content: [{ type: 'tool_result', toolUseId: '1', result: 'x' }] });
  assert.deepEqual(whole({ tool_call_id: '1', is_error: true }), {
    role: 'tool',
    tool_call_id: '1',
    is_error: true,
    content: text,
  });
  assert.throws(() => whole({ tool_call_id: '2' }), FormatError);
  assert.throws(() => whole({ colour: 'red' }), FormatError);
  assert.throws(() => accept({ result: 1n }), FormatError);
});

test('[SP5] what is in no table stays as it is and is judged by the schema', () => {
  assert.equal(canonicalType('tool_call'), 'tool-use');
  assert.equal(canonicalType('constructor'), 'constructor');
  for (const wrong of [null, 'x', [], {}, { type: 5 }, { type: 'toString' }, { type: 'text', text: 'x', input: 1 }]) {
    assert.throws(() => acceptBlock(wrong), FormatError);
  }
  for (const wrong of [
    null,
    'x',
    { role: 'model' },
    { role: 'model', content: 'x' },
    { role: 'system', content: [] },
  ]) {
    assert.throws(() => acceptMessage(wrong), FormatError);
  }
});

test('[SP6] a kind of block is known by every spelling of it', () => {
  const types = contentBlock.options.map(({ shape }) => shape.type.value);
  assert.deepEqual(new Set(blockKinds), new Set([...types, 'tool_result']));
  for (const [spelling, type] of Object.entries(acceptedSpellings.types)) assert.equal(blockKind(spelling), type);
  for (const type of types) assert.equal(blockKind(type.toUpperCase().replaceAll('-', '_')), type);
  for (const word of ['tool-call', 'tool_use', 'ToolUse', 'function_call']) assert.equal(blockKind(word), 'tool-use');
  for (const word of ['tool-result', 'ToolResult', 'tool_output']) assert.equal(blockKind(word), 'tool_result');
  assert.equal(blockKind('reasoning'), 'thinking');
  for (const word of ['', 'tool', 'commando', 'constructor']) assert.equal(blockKind(word), undefined, word);
});
