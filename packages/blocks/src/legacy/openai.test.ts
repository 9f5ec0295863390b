import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isMessage } from '@loom/blocks';
import type { Message } from '@loom/blocks';
import { fromOpenAIMessages, refusalReason, toOpenAIMessages } from '@loom/blocks/legacy';
import { refusedShapes } from './openai-shapes.ts';
import { anyMessage, anyText } from '@loom/blocks/testing';

const read = (...array: unknown[]) => fromOpenAIMessages(array).messages;
const notesOf = (...array: unknown[]) => fromOpenAIMessages(array).notes.map(({ kind, tag }) => `${kind}: ${tag}`);
const toolCall = (id: string | undefined, name: string, text: unknown) => ({
  id,
  type: 'function',
  function: { name, arguments: text },
});

test('[OA1] system and developer messages at the top become the prompt, elsewhere they are kept and noted', () => {
  const conversation = fromOpenAIMessages([
    { role: 'system', content: 'one' },
    { role: 'developer', content: [{ type: 'text', text: 'two', cache_control: { type: 'ephemeral' } }] },
    { role: 'user', content: 'hi' },
    { role: 'system', content: 'late' },
  ]);
  assert.equal(conversation.systemPrompt, 'one\n\ntwo');
  assert.deepEqual(conversation.origin, [2, 3]);
  assert.deepEqual(conversation.messages[1], {
    role: 'user',
    content: [{ type: 'raw', source: 'openai', value: { role: 'system', content: 'late' } }],
  });
  assert.deepEqual(
    conversation.notes.map(({ kind }) => kind),
    ['system-data-dropped', 'kept-raw'],
  );
});

test('[OA2] content may be a string, parts of any spelling, bare strings, null, empty or absent', () => {
  const text = (value: string): Message[] => [{ role: 'user', content: [{ type: 'text', text: value }] }];
  for (const content of [
    'x',
    ['x'],
    [{ type: 'text', text: 'x' }],
    [{ type: 'input_text', text: 'x' }],
    [{ type: 'TEXT', text: 'x' }],
    [{ text: 'x' }],
    [{ type: 'text', text: { value: 'x', annotations: [] } }],
    { type: 'text', text: 'x' },
  ]) {
    assert.deepEqual(read({ role: 'user', content }), text('x'));
    assert.deepEqual(read({ role: 'USER', content }), text('x'));
  }
  assert.deepEqual(read({ role: 'user', parts: [{ text: 'x' }] }), text('x'));
  assert.deepEqual(read({ role: 'user', message: 'x' }), text('x'));
  for (const empty of [
    { role: 'assistant', content: null },
    { role: 'user', content: '' },
    { role: 'user' },
    { role: 'user', content: [] },
  ]) {
    assert.deepEqual(read(empty), [{ role: 'user', content: [{ type: 'raw', source: 'openai', value: empty }] }]);
  }
});

test('[OA3] calls keep order, ids and their exact arguments, well-formed or not', () => {
  const [message] = read({
    role: 'assistant',
    content: null,
    tool_calls: [
      toolCall('1', 'a', '{"x": 1}'),
      toolCall('2', 'b', '{"cut'),
      toolCall('3', 'c', ''),
      toolCall('4', 'd', { x: 1 }),
      toolCall('5', 'e', '[1]'),
      toolCall('6', 'f', null),
      { id: '7', type: 'custom', custom: { name: 'g', input: '{"raw":1}' } },
    ],
  });
  assert.deepEqual(message?.content, [
    { type: 'tool-use', id: '1', name: 'a', parameters: { x: 1 }, arguments: '{"x": 1}' },
    { type: 'tool-use', id: '2', name: 'b', parameters: {}, arguments: '{"cut' },
    { type: 'tool-use', id: '3', name: 'c', parameters: {}, arguments: '' },
    { type: 'tool-use', id: '4', name: 'd', parameters: { x: 1 } },
    { type: 'tool-use', id: '5', name: 'e', parameters: {}, arguments: '[1]' },
    { type: 'tool-use', id: '6', name: 'f', parameters: {} },
    {
      type: 'tool-use',
      id: '7',
      name: 'g',
      parameters: {},
      arguments: '{"raw":1}',
      provider: { 'openai-array': { call: { type: 'custom' } } },
    },
  ]);
});

test('[OA4] missing ids are derived from the position, the same ones at every reading', () => {
  const array = [
    { role: 'assistant', content: null, function_call: { name: 'search', arguments: '{}' } },
    { role: 'function', name: 'search', content: 'found' },
    { role: 'assistant', tool_calls: [toolCall(undefined, 'x', '{}'), toolCall('', 'y', '{}')] },
    { role: 'tool', content: 'for x' },
    { role: 'tool', content: 'for y' },
  ];
  const { messages, notes } = fromOpenAIMessages(array);
  assert.deepEqual(fromOpenAIMessages(array).messages, messages);
  const ids = messages.flatMap((message) =>
    message.content.flatMap((block) => (block.type === 'tool-use' ? [block.id] : [])),
  );
  assert.equal(new Set(ids).size, 3);
  const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.tool_call_id] : []));
  assert.deepEqual(answered, ids);
  assert.ok(notes.every(({ kind }) => kind === 'derived-id'));
});

test('[OA5] orphan results and unanswered calls are kept and noted', () => {
  const array = [
    { role: 'assistant', content: 'x', tool_calls: [toolCall('1', 'a', '{}'), toolCall('2', 'b', '{}')] },
    { role: 'tool', tool_call_id: '2', content: 'ok' },
    { role: 'tool', tool_call_id: '9', content: 'orphan' },
  ];
  assert.equal(read(...array).length, 3);
  assert.deepEqual(notesOf(...array), ['orphan-result: 9', 'unanswered-call: a']);
});

test('[OA6] results inside user messages become tool messages, in order', () => {
  assert.deepEqual(
    read(
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'x', input: { a: 1 } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'r' }], is_error: true },
          { type: 'text', text: 'and now?' },
        ],
      },
    ),
    [
      { role: 'assistant', content: [{ type: 'tool-use', id: 't1', name: 'x', parameters: { a: 1 } }] },
      { role: 'tool', content: [{ type: 'text', text: 'r' }], tool_call_id: 't1', is_error: true },
      { role: 'user', content: [{ type: 'text', text: 'and now?' }] },
    ],
  );
});

test('[OA7] tool content may be a string, parts, an object or nothing', () => {
  const result = (content: unknown) => read({ role: 'tool', tool_call_id: 'c', content })[0]?.content;
  assert.deepEqual(result('x'), [{ type: 'text', text: 'x' }]);
  assert.deepEqual(result(''), []);
  assert.deepEqual(result(null), []);
  assert.deepEqual(result({ a: 1 }), [{ type: 'text', text: '{"a":1}' }]);
  assert.deepEqual(result([{ type: 'text', text: 'x' }, { json: { b: 2 } }, 'y']), [
    { type: 'text', text: 'x' },
    { type: 'text', text: '{"b":2}' },
    { type: 'text', text: 'y' },
  ]);
});

test('[OA8] reasoning becomes thinking before the text, with its signature', () => {
  assert.deepEqual(read({ role: 'assistant', content: 'a', reasoning_content: 'hm' })[0]?.content, [
    { type: 'thinking', text: 'hm', provider: { 'openai-array': { field: 'reasoning_content' } } },
    { type: 'text', text: 'a' },
  ]);
  const signed = { type: 'thinking', thinking: 'hm', signature: 's' };
  const expected = [
    { type: 'thinking', text: 'hm', provider: { anthropic: { signature: 's' } } },
    { type: 'text', text: 'a' },
  ];
  assert.deepEqual(
    read({ role: 'assistant', content: 'a', thinking_blocks: [signed], reasoning_content: 'hm' })[0]?.content,
    expected,
  );
  assert.deepEqual(read({ role: 'assistant', content: [signed, { type: 'text', text: 'a' }] })[0]?.content, expected);
  assert.deepEqual(read({ role: 'assistant', content: [{ type: 'redacted_thinking', data: 'z' }] })[0]?.content, [
    { type: 'thinking', text: '', provider: { anthropic: { data: 'z', type: 'redacted_thinking' } } },
  ]);
  assert.deepEqual(
    read({ role: 'model', parts: [{ text: 'hm', thought: true, thoughtSignature: 't' }, { text: 'a' }] })[0]?.content,
    [
      { type: 'thinking', text: 'hm', provider: { google: { thoughtSignature: 't' } } },
      { type: 'text', text: 'a' },
    ],
  );
});

test('[OA9] images, sounds and files become image blocks with their media type', () => {
  const media = (part: object) => read({ role: 'user', content: [part] })[0]?.content[0];
  const image = (media_type: string, url: string, more = {}) => ({ type: 'image', media_type, url, ...more });
  assert.deepEqual(
    media({ type: 'image_url', image_url: { url: 'https://example.org/a.png?x=1' } }),
    image('image/png', 'https://example.org/a.png?x=1'),
  );
  assert.deepEqual(
    media({ type: 'image_url', image_url: 'https://example.org/a' }),
    image('image/*', 'https://example.org/a'),
  );
  assert.deepEqual(
    media({ type: 'image_url', image_url: { url: 'data:image/gif;base64,AA==', detail: 'low' } }),
    image('image/gif', 'data:image/gif;base64,AA==', { provider: { 'openai-array': { part: { detail: 'low' } } } }),
  );
  assert.deepEqual(
    media({ type: 'image', source: { type: 'base64', media_type: 'image/webp', data: 'AA==' } }),
    image('image/webp', 'data:image/webp;base64,AA=='),
  );
  assert.deepEqual(
    media({ type: 'input_audio', input_audio: { data: 'AA==', format: 'wav' } }),
    image('audio/wav', 'data:audio/wav;base64,AA=='),
  );
  assert.deepEqual(
    media({ type: 'file', file: { file_data: 'data:application/pdf;base64,AA==', filename: 'a.pdf' } }),
    image('application/pdf', 'data:application/pdf;base64,AA==', { filename: 'a.pdf' }),
  );
  assert.deepEqual(
    media({ inlineData: { mimeType: 'image/png', data: 'AA==' } }),
    image('image/png', 'data:image/png;base64,AA=='),
  );
  assert.deepEqual(notesOf({ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }), [
    'kept-raw: part=file',
  ]);
});

test('[OA10] fields that Loom has no word for are kept with the block, and empty ones are not', () => {
  assert.deepEqual(
    read({
      role: 'user',
      name: 'ana',
      refusal: null,
      content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }],
    }),
    [
      {
        role: 'user',
        content: [
          {
            type: 'text',
            text: 'x',
            provider: { 'openai-array': { part: { cache_control: { type: 'ephemeral' } }, message: { name: 'ana' } } },
          },
        ],
      },
    ],
  );
  assert.deepEqual(read({ role: 'assistant', content: null, refusal: 'I will not' })[0]?.content, [
    { type: 'text', text: 'I will not', provider: { 'openai-array': { part: { type: 'refusal' } } } },
  ]);
});

test('[OA11] items of the Responses API, of Gemini and of Bedrock are read', () => {
  assert.deepEqual(
    read(
      { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'e' },
      { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c1', output: 'r' },
      { role: 'model', parts: [{ functionCall: { name: 'g', args: { a: 1 } } }] },
      { role: 'user', parts: [{ functionResponse: { name: 'g', response: { ok: true } } }] },
      { role: 'assistant', content: [{ toolUse: { toolUseId: 'b1', name: 'h', input: {} } }] },
      { role: 'user', content: [{ toolResult: { toolUseId: 'b1', content: [{ text: 'r' }], status: 'error' } }] },
    ).map((message) => [
      message.role,
      message.content.map((block) => block.type),
      message.role === 'tool' ? message.tool_call_id : '',
    ]),
    [
      ['assistant', ['thinking'], ''],
      ['assistant', ['tool-use'], ''],
      ['tool', ['text'], 'c1'],
      ['assistant', ['tool-use'], ''],
      ['tool', ['text'], 'call_2_of_import'],
      ['assistant', ['tool-use'], ''],
      ['tool', ['text'], 'b1'],
    ],
  );
});

test('[OA12] nothing that can stand in an array makes reading throw or drops a message', () => {
  const anyField = fc.oneof(anyText, fc.jsonValue());
  const anyPart = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(
      fc.constantFrom(
        'type',
        'text',
        'content',
        'thinking',
        'image_url',
        'source',
        'file',
        'input',
        'id',
        'name',
        'toolUse',
        'toolResult',
        'functionCall',
        'functionResponse',
        'inlineData',
        'tool_use_id',
        'thought',
      ),
      fc.oneof(
        anyField,
        fc.constantFrom(
          'text',
          'tool_use',
          'tool_result',
          'image',
          'image_url',
          'file',
          'thinking',
          'document',
          'input_audio',
          'raw',
          'code',
        ),
      ),
    ),
  );
  const anyElement = fc.oneof(
    fc.jsonValue(),
    fc.record(
      {
        role: fc.oneof(
          fc.constantFrom('user', 'assistant', 'tool', 'function', 'system', 'developer', 'model', 'admin'),
          anyField,
        ),
        content: fc.oneof(anyField, fc.array(anyPart)),
        parts: fc.array(anyPart),
        tool_calls: fc.oneof(
          fc.jsonValue(),
          fc.array(
            fc.record(
              {
                id: anyField,
                function: fc.oneof(fc.jsonValue(), fc.record({ name: anyField, arguments: anyField })),
                custom: fc.jsonValue(),
              },
              { requiredKeys: [] },
            ),
          ),
        ),
        function_call: fc.jsonValue(),
        tool_call_id: anyField,
        reasoning: anyField,
        reasoning_content: anyField,
        thinking_blocks: fc.oneof(fc.jsonValue(), fc.array(anyPart)),
        images: fc.jsonValue(),
        refusal: anyField,
        type: fc.oneof(fc.constantFrom('message', 'function_call', 'function_call_output', 'reasoning'), anyField),
        summary: fc.jsonValue(),
        output: fc.oneof(anyField, fc.array(anyPart)),
      },
      { requiredKeys: [] },
    ),
  );
  fc.assert(
    fc.property(fc.array(anyElement, { maxLength: 4 }), (elements) => {
      const array = structuredClone(elements);
      const conversation = fromOpenAIMessages(array);
      for (const message of conversation.messages) assert.ok(isMessage(message), JSON.stringify(message));
      const seen = new Set(conversation.origin);
      const first = conversation.origin[0] ?? array.length;
      for (let index = first; index < array.length; index += 1) assert.ok(seen.has(index));
      const written = toOpenAIMessages(conversation);
      const again = fromOpenAIMessages(written);
      assert.deepEqual(again.messages, conversation.messages);
      assert.equal(again.systemPrompt, conversation.systemPrompt);
      assert.deepEqual(toOpenAIMessages(again), written);
    }),
    { numRuns: 2000 },
  );
});

test('[OA13] any conversation of blocks written as an array is read back with the same content', () => {
  fc.assert(
    fc.property(fc.array(anyMessage, { maxLength: 4 }), (messages) => {
      const again = fromOpenAIMessages(toOpenAIMessages({ messages }));
      assert.deepEqual(again.messages, messages);
    }),
    { numRuns: 1000 },
  );
});

test('[OA15] each shape on the list of refused ones is kept raw, with a reason for people', () => {
  const part = (value: unknown) => ({ role: 'assistant', content: [value] });
  const examples: Record<string, unknown> = {
    'user.content=empty': { role: 'user', content: '' },
    'assistant.content=empty': { role: 'assistant', content: null },
    'role=system': { role: 'system', content: 'x' },
    'role=developer': { role: 'developer', content: 'x' },
    'part=file': part({ type: 'file', file: { file_id: 'file-1' } }),
    'part=image': part({ type: 'image', source: { type: 'file', file_id: '1' } }),
    'part=text': part({ type: 'text', image_url: 'x' }),
    'part=thinking': part({ type: 'thinking', thinking: [{ ids: [1] }] }),
    'part=number': part(15496),
    'part=array': part([15496, 995]),
    'part=compaction': part({ type: 'compaction', content: 'x' }),
    'part=tool_result': {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: '1', content: [{ type: 'tool_result', tool_use_id: '2' }] }],
    },
    'part=tool_reference': part({ type: 'tool_reference', tool_name: 'x' }),
    'part=server_tool_use': part({ type: 'server_tool_use', id: '1', name: 'x', input: {} }),
    'part=web_search_tool_result': part({ type: 'web_search_tool_result', tool_use_id: '1', content: [] }),
    'part=advisor_tool_result': part({ type: 'advisor_tool_result', tool_use_id: '1', content: 'x' }),
    'message=number': 5,
    'role=admin': { role: 'admin', content: 'x' },
    'role=undefined': { content: 'x' },
    'role=constructor': { role: 'constructor', content: 'x' },
    'user.part=thinking': { role: 'user', content: [{ type: 'thinking', thinking: 'x' }] },
    'assistant.part=conversation': part({ type: 'conversation', root: 'x' }),
    'tool.part=call': {
      role: 'tool',
      tool_call_id: '1',
      content: [{ type: 'tool_use', id: '1', name: 'x', input: {} }],
    },
    'tool_call without a name': { role: 'assistant', content: 'x', tool_calls: [{ id: '1', function: {} }] },
    'user.tool_calls': { role: 'user', content: 'x', tool_calls: [{ function: { arguments: 'x' } }] },
  };
  const reasons = new Set(Object.keys(examples).map(refusalReason));
  assert.deepEqual(reasons, new Set(Object.values(refusedShapes)));
  for (const [tag, element] of Object.entries(examples)) {
    const { messages, notes } = fromOpenAIMessages([{ role: 'user', content: 'first' }, element]);
    const [note] = notes.filter(({ kind }) => kind === 'kept-raw');
    assert.equal(note?.tag, tag);
    assert.equal(note.index, 1);
    assert.ok(note.message.includes(refusalReason(tag) ?? '?'));
    assert.ok(messages[1]?.content.some((block) => block.type === 'raw'));
  }
  assert.equal(refusalReason('part=hologram'), undefined);
});
