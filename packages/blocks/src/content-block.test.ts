import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import {
  FormatError,
  assistantBlock,
  contentBlock,
  isAssistantBlock,
  isContentBlock,
  isNonEmpty,
  isPlainObject,
  isToolBlock,
  isUserBlock,
  message,
  modelAgentId,
  agentId,
  encodeAgentId,
  parseBlock,
  parseMessage,
  toolBlock,
  toolUsesOf,
  userBlock,
} from './index.ts';
import type { AssistantMessage, ContentBlock, ToolMessage, UserMessage } from './index.ts';
import { anyMessage, anyText } from './testing/arbitraries.ts';

/** A text as it stands inside JSON. */
const escaped = (text: string) => JSON.stringify(text).slice(1, -1);

/** One valid example of every block type, with all of its content fields. */
const examples: Record<ContentBlock['type'], ContentBlock> = {
  text: { type: 'text', text: 'hello' },
  thinking: { type: 'thinking', text: 'hm', provider: { anthropic: { signature: 'abc' } } },
  'tool-use': {
    type: 'tool-use',
    id: 'toolu_1',
    name: 'Read',
    parameters: { path: 'a' },
    arguments: '{ "path": "a" }',
  },
  image: { type: 'image', media_type: 'image/png', blob: `sha256:${'0'.repeat(64)}`, filename: 'a.png' },
  code: { type: 'code', content: 'x', language: 'ts', filename: 'a.ts', start_line: 3, total_lines: 9 },
  command: { type: 'command', command: 'ls', stdout: 'a', stderr: '', exit_code: 0, duration_ms: 1.5 },
  'file-change': { type: 'file-change', changes: [{ path: 'b', kind: 'rename', from: 'a', diff: '' }] },
  todo: { type: 'todo', items: [{ content: 'x', status: 'in_progress' }] },
  sources: { type: 'sources', sources: [{ id: '1', url: 'https://example.org', title: 'Example' }] },
  conversation: { type: 'conversation', root: 'root-1' },
  error: { type: 'error', code: 'overloaded', message: 'try again', detail: { status: 529 } },
  raw: { type: 'raw', source: 'codex', value: null },
  file: { type: 'file', path: 'src/a.ts', language: 'ts', text: 'x' },
};

/** The roles that may hold each block: the table of the design, written out a second time on purpose. */
const holders: Record<ContentBlock['type'], string> = {
  text: 'user assistant tool',
  thinking: 'assistant',
  'tool-use': 'assistant',
  image: 'user assistant tool',
  code: 'assistant tool',
  command: 'assistant tool',
  'file-change': 'assistant tool',
  todo: 'assistant tool',
  sources: 'assistant tool',
  conversation: 'tool',
  error: 'assistant tool',
  raw: 'user assistant tool',
  file: '',
};

test('[BK1] every block type is read back exactly as it was written', () => {
  for (const block of Object.values(examples)) {
    assert.deepEqual(parseBlock(block), block);
    assert.ok(isContentBlock(block));
  }
});

test('[BK2] each role holds exactly the block types of the table', () => {
  for (const [type, block] of Object.entries(examples)) {
    const allowed = Object.entries({ user: isUserBlock, assistant: isAssistantBlock, tool: isToolBlock })
      .filter(([, guard]) => guard(block))
      .map(([role]) => role);
    assert.deepEqual(
      allowed,
      Object.entries(holders)
        .find(([name]) => name === type)?.[1]
        .split(' ')
        .filter(Boolean),
    );
  }
});

test('[BK3] a block of the wrong role does not compile', () => {
  const call = { type: 'tool-use', id: '1', name: 'x', parameters: {} } as const;
  // @ts-expect-error a person calls no tools
  const user: UserMessage = { role: 'user', content: [call] };
  // @ts-expect-error a tool calls no tools
  const tool: ToolMessage = { role: 'tool', content: [call], tool_call_id: '1' };
  // @ts-expect-error a message has at least one block
  const empty: AssistantMessage = { role: 'assistant', content: [] };
  for (const wrong of [user, tool, empty]) assert.equal(message.safeParse(wrong).success, false);
});

test('[BK4] a message is read back exactly, and a tool message may be empty', () => {
  fc.assert(fc.property(anyMessage, (value) => assert.deepEqual(parseMessage(value), value)));
  assert.ok(message.safeParse({ role: 'tool', content: [], tool_call_id: 'c' }).success);
});

test('[BK5] an invalid message names every problem with its place', () => {
  const wrong = { role: 'tool', content: [{ type: 'text', text: 5, colour: 'red' }] };
  assert.throws(
    () => parseMessage(wrong),
    (error) => {
      assert.ok(error instanceof FormatError);
      assert.equal(error.code, 'invalid-format');
      assert.deepEqual(
        error.problems.map(({ path }) => path),
        ['content[0].text', 'content[0]', 'tool_call_id'],
      );
      assert.match(error.message, /content\[0\]\.text.*must be a string/);
      return true;
    },
  );
  for (const value of [null, 5, 'x', [], {}, { role: 'admin', content: [] }, { role: 'user' }]) {
    assert.throws(() => parseMessage(value), FormatError);
  }
  // However many there are, the message stays readable and `problems` is complete.
  for (const [count, end] of [
    [5, /^(?:[^;]*;){4}[^;]*: [^;]*$/],
    [7, /^(?:[^;]*;){5} and 2 more$/],
  ] as const) {
    const content = Array.from({ length: count }, () => ({ type: 'text' }));
    assert.throws(
      () => parseMessage({ role: 'user', content }),
      (error) => error instanceof FormatError && error.problems.length === count && end.test(error.message),
    );
  }
});

test('[BK6] user and assistant messages need a block, tool messages a call id', () => {
  const text = { type: 'text', text: 'x' };
  for (const wrong of [
    { role: 'user', content: [] },
    { role: 'assistant', content: [] },
    { role: 'tool', content: [text] },
    { role: 'tool', content: [text], tool_call_id: '  ' },
  ]) {
    assert.equal(message.safeParse(wrong).success, false);
  }
  assert.equal(isNonEmpty([]), false);
  const callOnly = { role: 'assistant', content: [{ type: 'tool-use', id: '1', name: 'x', parameters: {} }] };
  assert.ok(message.safeParse(callOnly).success);
});

test('[BK7] lone surrogates and NUL become U+FFFD in every text, and nothing else changes', () => {
  const broken = 'a\uD83D b\0c\uDC00';
  const clean = 'a\uFFFD b\uFFFDc\uFFFD';
  for (const [block, field] of [
    [{ type: 'text', text: broken }, 'text'],
    [{ type: 'thinking', text: broken }, 'text'],
    [{ type: 'code', content: broken }, 'content'],
    [{ type: 'command', command: 'x', stdout: broken }, 'stdout'],
    [{ type: 'error', code: 'x', message: broken }, 'message'],
    [{ type: 'tool-use', id: broken, name: 'x', parameters: {} }, 'id'],
    [{ type: 'tool-use', id: '1', name: broken, parameters: {} }, 'name'],
    [{ type: 'code', content: '', filename: broken }, 'filename'],
    [{ type: 'image', media_type: 'image/png', url: broken }, 'url'],
    [{ type: 'file', path: broken, text: '' }, 'path'],
    [{ type: 'conversation', root: broken }, 'root'],
  ] as const) {
    assert.equal(Reflect.get(parseBlock(block), field), clean);
  }
  const nested = {
    type: 'sources',
    sources: [{ id: '1', url: 'https://example.org', title: broken }],
    error: { code: 'x', message: broken },
  };
  assert.equal(JSON.stringify(parseBlock(nested)), JSON.stringify(nested).replaceAll(escaped(broken), clean));
  const answer = parseMessage({ role: 'tool', content: [], tool_call_id: broken });
  assert.ok(answer.role === 'tool' && answer.tool_call_id === clean);
  fc.assert(
    fc.property(anyText, (text) => assert.deepEqual(parseBlock({ type: 'text', text }), { type: 'text', text })),
  );
});

test('[BK8] parameters and provider data keep their keys in order, whatever their names', () => {
  const parameters: unknown = JSON.parse('{"z":1,"a":{"__proto__":{"x":1}},"__proto__":2,"10":3}');
  const block = parseBlock({ type: 'tool-use', id: '1', name: 'x', parameters, provider: { google: parameters } });
  assert.ok(block.type === 'tool-use');
  assert.equal(JSON.stringify(block.parameters), JSON.stringify(parameters));
  assert.equal(JSON.stringify(block.provider), JSON.stringify({ google: parameters }));
});

test('[BK9] parameters are a plain object and nothing else', () => {
  for (const parameters of [null, [], 'x', 5, new Date(), new Map(), undefined]) {
    assert.equal(contentBlock.safeParse({ type: 'tool-use', id: '1', name: 'x', parameters }).success, false);
    assert.equal(isPlainObject(parameters), false);
  }
  assert.ok(isPlainObject(Object.create(null)));
});

test('[BK10] an image has either a blob or an address', () => {
  const image = { type: 'image', media_type: 'image/png' };
  const blob = `sha256:${'a'.repeat(64)}`;
  assert.ok(contentBlock.safeParse({ ...image, blob }).success);
  assert.ok(contentBlock.safeParse({ ...image, url: 'https://example.org/a.png' }).success);
  for (const wrong of [{}, { blob, url: 'https://example.org' }, { blob: 'sha256:abc' }, { url: '' }]) {
    assert.equal(contentBlock.safeParse({ ...image, ...wrong }).success, false);
  }
  assert.equal(contentBlock.safeParse({ ...image, media_type: 'png', blob }).success, false);
});

test('[BK11] a call needs an id and a name', () => {
  for (const wrong of [{ id: '' }, { id: ' ' }, { name: '' }, { name: '\n' }]) {
    const call = { type: 'tool-use', id: '1', name: 'x', parameters: {}, ...wrong };
    assert.equal(contentBlock.safeParse(call).success, false);
  }
});

test('[BK12] record fields are read on every block and unknown fields are refused', () => {
  const record = {
    block_id: 'root-1/@anthropic:claude/7',
    status: 'error',
    version: 3,
    agent: 'anthropic:claude',
    created_at: '2026-11-15T20:00:00.000Z',
    metadata: { note: 1 },
    error: { code: 'interrupted', message: 'stopped' },
    prefix: 'abc',
    ephemeral: true,
    from: { block: 'root-1/@me/1', version: 2 },
    provider: { anthropic: { id: 'x' } },
  };
  for (const block of Object.values(examples)) {
    assert.deepEqual(parseBlock({ ...block, ...record }), { ...block, ...record });
    assert.throws(() => parseBlock({ ...block, colour: 'red' }), FormatError);
  }
  for (const wrong of [
    { status: 'finished' },
    { version: -1 },
    { version: 1.5 },
    { agent: 'a b' },
    { block_id: 'x' },
  ]) {
    assert.throws(() => parseBlock({ ...examples.text, ...wrong }), FormatError);
  }
});

test('[BK13] output too long to stay inline is a blob with its size and its beginning', () => {
  const stdout = { blob: `sha256:${'b'.repeat(64)}`, bytes: 100_000, preview: 'first lines' };
  assert.deepEqual(toolBlock.parse({ type: 'command', command: 'x', stdout }), {
    type: 'command',
    command: 'x',
    stdout,
  });
  assert.equal(toolBlock.safeParse({ type: 'command', command: 'x', stdout: { blob: 'x' } }).success, false);
});

test('[BK14] a model is the agent provider:model, and different names stay different', () => {
  assert.equal(modelAgentId('anthropic', 'claude-opus-4.5'), 'anthropic:claude-opus-4.5');
  assert.equal(modelAgentId('openrouter', 'meta/llama 3~b'), 'openrouter:meta%2Fllama%203%7Eb');
  assert.notEqual(modelAgentId('a:b', 'c'), modelAgentId('a', 'b:c'));
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (name) => {
      assert.ok(agentId.safeParse(encodeAgentId(name)).success);
      assert.equal(decodeURIComponent(encodeAgentId(name)), name);
    }),
  );
});

test('[BK15] a raw block keeps any value, null included, but needs one', () => {
  assert.ok(userBlock.safeParse({ type: 'raw', source: 'x', value: null }).success);
  assert.equal(assistantBlock.safeParse({ type: 'raw', source: 'x' }).success, false);
});

test('[BK16] what is kept as it came is JSON', () => {
  const knot: Record<string, unknown> = {};
  knot['inner'] = [knot];
  const holey: unknown[] = [];
  holey[1] = 1;
  const places = (value: unknown): unknown[] => [
    { type: 'tool-use', id: '1', name: 'x', parameters: { value } },
    { type: 'text', text: 'x', provider: { x: { value } } },
    { type: 'text', text: 'x', metadata: { value } },
    { type: 'raw', source: 'x', value },
    { type: 'error', code: 'x', message: 'x', detail: value },
  ];
  const foreign: unknown[] = [
    NaN,
    Infinity,
    1n,
    new Date(0),
    new Map(),
    () => 1,
    Symbol('x'),
    [undefined],
    holey,
    knot,
  ];
  for (const value of foreign) {
    for (const block of places([{ value }])) assert.equal(contentBlock.safeParse(block).success, false);
  }
  const shared = { a: 1 };
  let deep: unknown = 1;
  for (let level = 0; level < 100_000; level += 1) deep = [deep];
  for (const value of [[shared, shared], { absent: undefined }, deep, null, '', 0, false, [], {}]) {
    for (const block of places(value)) assert.ok(contentBlock.safeParse(block).success);
  }
});

test('[BK17] the calls of a message are found in their order', () => {
  const call = (id: string) => ({ type: 'tool-use', id, name: 'x', parameters: {} }) as const;
  const said = { type: 'text', text: 'x' } as const;
  assert.deepEqual(toolUsesOf({ role: 'assistant', content: [call('1'), said, call('2')] }), [call('1'), call('2')]);
  assert.deepEqual(toolUsesOf({ role: 'user', content: [said] }), []);
});
