import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deniedText, isMessage } from '@loom/blocks';
import { fromModelMessages, toModelMessages } from '@loom/exchange/ai-sdk';
import type { ReadConversation } from '@loom/exchange/ai-sdk';
import type { ModelMessage } from 'ai';
import { copyAsJson } from '../json.ts';

function read(...messages: ModelMessage[]): ReadConversation {
  const conversation = fromModelMessages(messages);
  for (const message of conversation.messages) assert.ok(isMessage(message));
  return conversation;
}

/** Returns messages without the marks that they carry for the way back. */
function contents(conversation: ReadConversation): unknown {
  return conversation.messages.map((message) => ({
    ...message,
    content: message.content.map(({ provider: _kept, ...block }) => block),
  }));
}

const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: { q: 1 } } as const;

test('[AS21] system messages at the top become the prompt', () => {
  const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  const one = read({ role: 'system', content: 'be brief', providerOptions }, { role: 'user', content: 'hi' });
  assert.equal(one.systemPrompt, 'be brief');
  assert.deepEqual(one.systemDetails, { providerOptions });
  assert.equal(one.messages.length, 1);
  const two = read({ role: 'system', content: 'a' }, { role: 'system', content: 'b' });
  assert.equal(two.systemPrompt, 'a\n\nb');
  assert.deepEqual(
    two.notes.map(({ reason, path }) => [reason, path]),
    [['system-joined', 'messages[1]']],
  );
  assert.equal(read({ role: 'user', content: 'hi' }).systemPrompt, undefined);
});

test('[AS21] a system message further down is kept as raw', () => {
  const late = { role: 'system', content: 'new orders' } as const;
  const conversation = read({ role: 'user', content: 'hi' }, late);
  assert.deepEqual(contents(conversation), [
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    { role: 'user', content: [{ type: 'raw', source: 'ai-sdk', value: late }] },
  ]);
  assert.deepEqual(
    conversation.notes.map(({ reason, path }) => [reason, path]),
    [['kept-raw', 'messages[1]']],
  );
});

test('[AS22] text, reasoning, files, calls and results become blocks', () => {
  const signed = { anthropic: { signature: 'c2ln' } };
  const conversation = read(
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'file', mediaType: 'application/pdf', data: new URL('https://example.org/a.pdf'), filename: 'a.pdf' },
      ],
    },
    {
      role: 'assistant',
      content: [{ type: 'reasoning', text: 'hm', providerOptions: signed }, { type: 'text', text: 'I will' }, call],
    },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'c1', toolName: 'search', output: { type: 'text', value: 'found' } },
      ],
    },
    { role: 'assistant', content: 'done' },
  );
  assert.deepEqual(conversation.messages, [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'look' },
        { type: 'image', media_type: 'application/pdf', url: 'https://example.org/a.pdf', filename: 'a.pdf' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'hm', provider: signed },
        { type: 'text', text: 'I will' },
        { type: 'tool-use', id: 'c1', name: 'search', parameters: { q: 1 } },
      ],
    },
    { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'found' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'done' }] },
  ]);
  assert.deepEqual(conversation.notes, []);
});

test('[AS23] what has no block is kept whole and noted', () => {
  const custom = { type: 'custom', kind: 'anthropic.compaction', providerOptions: { anthropic: { a: 1 } } } as const;
  const thought = { type: 'reasoning-file', mediaType: 'image/png', data: Uint8Array.of(1, 2) } as const;
  const conversation = fromModelMessages([
    { role: 'assistant', content: [custom, thought, { type: 'text' }, 7] },
    { role: 'narrator', content: 'meanwhile' },
    { role: 'user', content: [] },
    { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 't', output: 'bare' }] },
  ]);
  const kept = conversation.messages.flatMap(({ content }) =>
    content.map((block) => block.type === 'raw' && block.value),
  );
  assert.deepEqual(kept, [
    custom,
    { ...thought, data: 'AQI=' },
    { type: 'text' },
    7,
    { role: 'narrator', content: 'meanwhile' },
    { role: 'user', content: [] },
    { type: 'tool-result', toolCallId: 'c', toolName: 't', output: 'bare' },
  ]);
  assert.deepEqual(
    conversation.notes.map(({ reason, path }) => `${reason} ${path}`),
    ['[0].content[0]', '[0].content[1]', '[0].content[2]', '[0].content[3]', '[1]', '[2]', '[3].content[0]'].map(
      (place) => `kept-raw messages${place}`,
    ),
  );
});

test('[AS23] a part of a tool message that is not a result stays with the results beside it', () => {
  const odd = { type: 'tool-mystery', a: 1 };
  const result = { type: 'tool-result', toolCallId: 'c1', toolName: 'search', output: { type: 'text', value: 'x' } };
  const conversation = fromModelMessages([
    { role: 'assistant', content: [call] },
    { role: 'tool', content: [odd, result] },
  ]);
  assert.deepEqual(conversation.messages[1]?.content, [
    { type: 'text', text: 'x' },
    { type: 'raw', source: 'ai-sdk', value: odd },
  ]);
});

test('[AS25] a result inside an assistant message becomes a tool message, and goes back inside', async () => {
  const ran = { ...call, providerExecuted: true };
  const outputs = [
    { type: 'json', value: { pages: [1] } },
    { type: 'error-json', value: 'too many requests' },
    { type: 'error-json', value: { code: 429 } },
    { type: 'error-text', value: 'no' },
  ] as const;
  for (const output of outputs) {
    const result = { type: 'tool-result', toolCallId: 'c1', toolName: 'search', output } as const;
    const message: ModelMessage = { role: 'assistant', content: [ran, result, { type: 'text', text: 'so' }] };
    const conversation = read(message);
    assert.deepEqual(
      conversation.messages.map(({ role }) => role),
      ['assistant', 'tool'],
    );
    assert.deepEqual(await toModelMessages(conversation.messages), [message]);
  }
});

test('[AS26] a JSON output is its JSON text, and goes back as JSON while it is JSON', async () => {
  const output = { type: 'json', value: { b: [1, null], a: 'é' } } as const;
  const result = { type: 'tool-result', toolCallId: 'c1', toolName: 'search', output } as const;
  const { messages } = read({ role: 'assistant', content: [call] }, { role: 'tool', content: [result] });
  const [, answer] = messages;
  assert.ok(answer?.role === 'tool' && answer.content[0]?.type === 'text');
  const [block] = answer.content;
  assert.equal(block.text, '{"b":[1,null],"a":"é"}');
  const edited = async (text: string): Promise<unknown> => {
    const [, sent] = await toModelMessages([...messages.slice(0, 1), { ...answer, content: [{ ...block, text }] }]);
    return sent?.role === 'tool' && sent.content[0]?.output;
  };
  assert.deepEqual(await edited('{"b":2}'), { type: 'json', value: { b: 2 } });
  assert.deepEqual(await edited('null'), { type: 'json', value: null });
  assert.deepEqual(await edited('cut {'), { type: 'text', value: 'cut {' });
});

test('[AS27] an input that is not an object is kept in arguments, and goes back as it came', async () => {
  const cases: [unknown, unknown, string | undefined][] = [
    ['{"cut off', {}, '{"cut off'],
    ['{"a":1}', { a: 1 }, undefined],
    ['[1]', {}, '[1]'],
    [[1], {}, '[1]'],
    [null, {}, 'null'],
    [{ a: 1 }, { a: 1 }, undefined],
  ];
  for (const [input, parameters, text] of cases) {
    const result = {
      type: 'tool-result',
      toolCallId: 'c1',
      toolName: 'search',
      output: { type: 'text', value: '' },
    } as const;
    const messages: ModelMessage[] = [
      { role: 'assistant', content: [{ ...call, input }] },
      { role: 'tool', content: [result] },
    ];
    const conversation = read(...messages);
    const block = conversation.messages[0]?.content[0];
    assert.ok(block?.type === 'tool-use');
    assert.deepEqual([block.parameters, block.arguments], [parameters, text]);
    assert.deepEqual(await toModelMessages(conversation.messages), messages);
  }
});

test('[AS28] approvals are kept with their call and never written into model messages', async () => {
  const conversation = read(
    {
      role: 'assistant',
      content: [call, { type: 'tool-approval-request', approvalId: 'ap1', toolCallId: 'c1', reason: 'writes files' }],
    },
    { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'ap1', approved: true, reason: 'fine' }] },
  );
  assert.equal(conversation.messages.length, 1);
  const { provider } = conversation.messages[0]?.content[0] ?? {};
  const approval = { id: 'ap1', requestReason: 'writes files', approved: true, reason: 'fine' };
  assert.deepEqual(provider, { 'ai-sdk': { approval } });
  const reasons: string[] = [];
  const written = await toModelMessages(conversation.messages, { onNote: ({ reason }) => reasons.push(reason) });
  assert.deepEqual(
    written.map(({ role, content }) => [role, typeof content === 'string' ? content : content.map(({ type }) => type)]),
    [
      ['assistant', ['tool-call']],
      ['tool', ['tool-result']],
    ],
  );
  assert.deepEqual(reasons, ['approval-left-out', 'call-interrupted']);
});

test('[AS28] an approval that belongs to no call is kept as raw', () => {
  const request = { type: 'tool-approval-request', approvalId: 'ap1', toolCallId: 'gone' } as const;
  const response = { type: 'tool-approval-response', approvalId: 'ap1', approved: false } as const;
  const { messages, notes } = read({ role: 'assistant', content: [request] }, { role: 'tool', content: [response] });
  assert.deepEqual(
    messages.map(({ role, content }) => [role, content]),
    [
      ['assistant', [{ type: 'raw', source: 'ai-sdk', value: request }]],
      ['user', [{ type: 'raw', source: 'ai-sdk', value: response }]],
    ],
  );
  assert.equal(notes.length, 2);
});

test('[AS29] every spelling of a file is read and written as tagged data', async () => {
  const url = new URL('https://example.org/a.png');
  const bytes = Uint8Array.of(1, 2, 3);
  const reference = { openai: 'file-1' };
  const cases: [unknown, unknown][] = [
    [url, { type: 'url', url }],
    [url.href, { type: 'url', url }],
    [
      { type: 'url', url },
      { type: 'url', url },
    ],
    [bytes, { type: 'data', data: bytes }],
    [bytes.buffer, { type: 'data', data: bytes }],
    ['AQID', { type: 'data', data: 'AQID' }],
    [
      { type: 'data', data: 'AQID' },
      { type: 'data', data: 'AQID' },
    ],
    [
      { type: 'data', data: bytes },
      { type: 'data', data: bytes },
    ],
    [
      { type: 'text', text: 'grüße' },
      { type: 'text', text: 'grüße' },
    ],
    [reference, { type: 'reference', reference }],
    [
      { type: 'reference', reference },
      { type: 'reference', reference },
    ],
  ];
  for (const [data, expected] of cases) {
    for (const part of [
      { type: 'file', mediaType: 'image', data },
      { type: 'image', image: data },
    ]) {
      const { messages, notes } = fromModelMessages([{ role: 'user', content: [part] }]);
      assert.deepEqual(notes, []);
      assert.ok(messages.every(isMessage));
      assert.deepEqual(await toModelMessages(messages), [
        { role: 'user', content: [{ type: 'file', mediaType: 'image', data: expected }] },
      ]);
    }
  }
});

test('[AS29] a media type goes back as it was spelt until it is changed', async () => {
  const { messages } = read({ role: 'user', content: [{ type: 'file', mediaType: 'image', data: 'AQID' }] });
  const block = messages[0]?.content[0];
  assert.ok(block?.type === 'image');
  assert.equal(block.media_type, 'image/*');
  const [sent] = await toModelMessages([{ role: 'user', content: [{ ...block, media_type: 'image/png' }] }]);
  assert.ok(sent?.role === 'user' && sent.content[0]?.type === 'file');
  assert.equal(sent.content[0].mediaType, 'image/png');
});

test('[AS29] the older names of files inside results are read', async () => {
  const url = 'https://example.org/a.png';
  const file = (mediaType: string, data: unknown): unknown => ({ type: 'file', mediaType, data });
  const cases: [object, unknown][] = [
    [{ type: 'file-data', data: 'AQID', mediaType: 'a/b' }, file('a/b', { type: 'data', data: 'AQID' })],
    [{ type: 'image-data', data: 'AQID', mediaType: 'a/b' }, file('a/b', { type: 'data', data: 'AQID' })],
    [{ type: 'file-url', url, mediaType: 'a/b' }, file('a/b', { type: 'url', url: new URL(url) })],
    [{ type: 'file-url', url }, file('application', { type: 'url', url: new URL(url) })],
    [{ type: 'image-url', url }, file('image', { type: 'url', url: new URL(url) })],
    [{ type: 'file-id', fileId: { x: 'f' } }, file('application', { type: 'reference', reference: { x: 'f' } })],
    [{ type: 'image-file-id', fileId: { x: 'f' } }, file('image', { type: 'reference', reference: { x: 'f' } })],
    [
      { type: 'image-file-reference', providerReference: { x: 'f' } },
      file('image', { type: 'reference', reference: { x: 'f' } }),
    ],
  ];
  for (const [part, expected] of cases) {
    const output = { type: 'content', value: [part] };
    const { messages, notes } = fromModelMessages([
      { role: 'assistant', content: [call] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'search', output }] },
    ]);
    assert.deepEqual(notes, []);
    const [, sent] = await toModelMessages(messages);
    assert.ok(sent?.role === 'tool');
    assert.deepEqual(sent.content[0]?.output, { type: 'content', value: [expected] });
  }
});

test('[AS23, AS29] a file id that does not say whose it is is kept as raw', () => {
  const part = { type: 'file-id', fileId: 'file-1' };
  const { messages } = fromModelMessages([
    { role: 'assistant', content: [call] },
    {
      role: 'tool',
      content: [
        { type: 'tool-result', toolCallId: 'c1', toolName: 'search', output: { type: 'content', value: [part] } },
      ],
    },
  ]);
  assert.deepEqual(messages[1]?.content, [{ type: 'raw', source: 'ai-sdk', value: part }]);
});

test('[AS30] lone surrogates and NUL become U+FFFD', () => {
  const { systemPrompt, messages } = fromModelMessages([
    { role: 'system', content: 'a\0' },
    { role: 'user', content: 'b\ud800' },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: '\udc00' },
        { ...call, input: '\0' },
      ],
    },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 't', output: { type: 'text', value: 'c\0' } }],
    },
  ]);
  assert.equal(systemPrompt, 'a\uFFFD');
  const texts = messages.flatMap(({ content }) =>
    content.map((block) => (block.type === 'tool-use' ? block.arguments : 'text' in block && block.text)),
  );
  assert.deepEqual(texts, ['b\uFFFD', '\uFFFD', '\uFFFD', 'c\uFFFD']);
});

test('[AS31] a mark cannot come from outside', () => {
  const providerOptions = { 'ai-sdk': { whole: true, providerExecuted: true }, openai: { itemId: 'x' } };
  const { messages, notes } = read({ role: 'user', content: [{ type: 'text', text: 'hi', providerOptions }] });
  assert.deepEqual(messages[0]?.content, [{ type: 'text', text: 'hi', provider: { openai: { itemId: 'x' } } }]);
  assert.deepEqual(
    notes.map(({ reason }) => reason),
    ['provider-data-left-out'],
  );
});

test('[AS7] execution-denied is read as a denied result', () => {
  const { messages } = read(
    { role: 'assistant', content: [call] },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'search', output: { type: 'execution-denied' } }],
    },
  );
  assert.deepEqual(messages[1], {
    role: 'tool',
    tool_call_id: 'c1',
    is_error: true,
    content: [{ type: 'text', text: deniedText, status: 'error', error: { code: 'denied', message: deniedText } }],
  });
});

test('[AS22] a message keeps its own options, and a result without a call its tool name', () => {
  const providerOptions = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  const { messages } = read(
    { role: 'user', content: 'hi', providerOptions },
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'lost', toolName: 'old', output: { type: 'text', value: '' } }],
    },
  );
  assert.deepEqual(copyAsJson(messages.map(({ content }) => content[0]?.provider)), [
    { 'ai-sdk': { modelMessage: { providerOptions } } },
    { 'ai-sdk': { modelPart: { toolName: 'old' } } },
  ]);
});
