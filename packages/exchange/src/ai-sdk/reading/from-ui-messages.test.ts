import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deniedText, isMessage } from '@loom/blocks';
import type { Message } from '@loom/blocks';
import { fromUIMessages, toModelMessages, toUIMessages } from '@loom/exchange/ai-sdk';
import { validateUIMessages } from 'ai';
import * as fc from 'fast-check';
import { uiMessages } from '../testing/arbitrary-ui-messages.ts';
import { plain } from '../testing/plain.ts';

Reflect.set(globalThis, 'AI_SDK_LOG_WARNINGS', false);

function spoken(...parts: object[]): object[] {
  return [{ id: 'm1', role: 'assistant', parts }];
}

/** Returns the messages without the provider fields that they carry for the way back. */
function contents(messages: readonly Message[]): unknown[] {
  return messages.map((message) => ({
    ...message,
    content: message.content.map(({ provider: _kept, ...block }) => block),
  }));
}

async function comesBack(messages: readonly object[]): Promise<void> {
  const read = fromUIMessages(messages);
  assert.ok(read.messages.every(isMessage));
  const { systemPrompt, systemDetails = {} } = read;
  const system = systemPrompt === undefined ? {} : { systemPrompt, systemDetails };
  assert.deepEqual(plain(await toUIMessages(read.messages, system)), plain(messages));
}

const head = { type: 'tool-search', toolCallId: 'c1', input: { q: 1 } };
const call = { type: 'tool-use', id: 'c1', name: 'search', parameters: { q: 1 } };

test('[AS33] one UI message of several steps is several messages, and one again', async () => {
  const messages = [
    { id: 'u1', role: 'user', metadata: { at: 7 }, createdAt: '2026', parts: [{ type: 'text', text: 'hi' }] },
    {
      id: 'a1',
      role: 'assistant',
      metadata: { model: 'x' },
      parts: [
        { type: 'step-start' },
        { type: 'text', text: 'let me look', providerMetadata: { openai: { itemId: 'i1' } } },
        { ...head, state: 'output-available', output: 'one', title: 'Search' },
        { ...head, toolCallId: 'c2', state: 'output-available', output: { n: 2 } },
        { type: 'step-start' },
        { type: 'text', text: 'so' },
      ],
    },
    { id: 'a2', role: 'assistant', parts: [{ type: 'text', text: 'another' }] },
  ];
  assert.deepEqual(contents(fromUIMessages(messages).messages), [
    { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'let me look' }, call, { ...call, id: 'c2' }] },
    { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'one' }] },
    { role: 'tool', tool_call_id: 'c2', content: [{ type: 'text', text: '{"n":2}' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'so' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'another' }] },
  ]);
  await comesBack(messages);
});

test('[AS33] step boundaries come back wherever they stood', async () => {
  const boundary = { type: 'step-start' };
  const text = { type: 'text', text: 'so' };
  for (const parts of [
    [text],
    [boundary, boundary, text],
    [text, boundary],
    [boundary],
    [text, boundary, boundary, text],
  ]) {
    await comesBack(spoken(...parts));
  }
});

test('[AS33] generated UI messages are valid and come back exactly', async () => {
  await fc.assert(
    fc.asyncProperty(uiMessages(), async (messages) => {
      await validateUIMessages({ messages });
      await comesBack(messages);
    }),
    { numRuns: 300 },
  );
});

test('[AS34] a tool part is read in every state', async () => {
  const approval = { id: 'ap1' };
  const denied = {
    type: 'text',
    text: 'not today',
    status: 'error',
    error: { code: 'denied', message: deniedText },
  };
  const refusal = { ...approval, approved: false, reason: 'not today' };
  const cases: [object, object, object?][] = [
    [{ state: 'input-streaming' }, { ...call, status: 'running' }],
    [{ state: 'input-available' }, call],
    [{ state: 'approval-requested', approval }, call],
    [{ state: 'approval-responded', approval: { ...approval, approved: true } }, call],
    [{ state: 'approval-responded', approval: refusal }, call, { content: [denied], is_error: true }],
    [{ state: 'output-available', output: 'found' }, call, { content: [{ type: 'text', text: 'found' }] }],
    [{ state: 'output-available', output: '' }, call, { content: [] }],
    [{ state: 'output-available', output: [1] }, call, { content: [{ type: 'text', text: '[1]' }] }],
    [{ state: 'output-error', errorText: 'no' }, call, { content: [{ type: 'text', text: 'no' }], is_error: true }],
    [{ state: 'output-denied', approval: refusal }, call, { content: [denied], is_error: true }],
  ];
  for (const [state, expected, outcome] of cases) {
    for (const type of [{}, { type: 'dynamic-tool', toolName: 'search' }]) {
      const messages = spoken({ ...head, ...type, ...state });
      const result = outcome === undefined ? [] : [{ role: 'tool', tool_call_id: 'c1', ...outcome }];
      const { messages: read, notes } = fromUIMessages(messages);
      assert.deepEqual(contents(read), [{ role: 'assistant', content: [expected] }, ...result]);
      assert.deepEqual(notes, []);
      await comesBack(messages);
    }
  }
});

test('[AS34] a tool part that does not fit its state is kept as raw', () => {
  for (const state of [
    { state: 'output-error' },
    { state: 'approval-requested' },
    { state: 'approval-responded', approval: { id: 'ap1' } },
    { state: 'output-denied', approval: { id: 'ap1', approved: true } },
    { state: 'dreaming' },
  ]) {
    const part = { ...head, ...state };
    const { messages, notes } = fromUIMessages(spoken(part));
    assert.deepEqual(contents(messages), [
      { role: 'assistant', content: [{ type: 'raw', source: 'ai-sdk', value: part }] },
    ]);
    assert.deepEqual(
      notes.map(({ reason, path }) => [reason, path]),
      [['kept-raw', 'messages[0].parts[0]']],
    );
  }
});

test('[AS35] what is still streaming is running, what is finished is done', async () => {
  const messages = spoken(
    { type: 'reasoning', text: 'hm', state: 'done' },
    { type: 'text', text: 'plain' },
    { type: 'text', text: 'so', state: 'streaming' },
  );
  const [message] = fromUIMessages(messages).messages;
  assert.deepEqual(
    message?.content.map(({ status }) => status),
    ['done', undefined, 'running'],
  );
  await comesBack(messages);
});

test('[AS36] sources are one block where they stand together; a document has no URL', async () => {
  const page = { type: 'source-url', sourceId: '1', url: 'https://example.org/', title: 'A page' };
  const untitled = { type: 'source-url', sourceId: '2', url: 'https://example.org/b' };
  const document = {
    type: 'source-document',
    sourceId: '3',
    mediaType: 'application/pdf',
    title: 'A book',
    filename: 'b.pdf',
  };
  const { messages } = fromUIMessages(spoken({ type: 'text', text: 'so' }, page, untitled, document));
  assert.deepEqual(contents(messages), [
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'so' },
        {
          type: 'sources',
          sources: [
            { id: '1', url: 'https://example.org/', title: 'A page' },
            { id: '2', url: 'https://example.org/b', title: '' },
          ],
        },
        { type: 'sources', sources: [{ id: '3', url: '', title: 'A book' }] },
      ],
    },
  ]);
  await comesBack(spoken(page, untitled, { ...untitled, title: '' }, document));
});

test('[AS37] data parts and parts that Loom does not know are raw', async () => {
  const parts = [
    { type: 'data-weather', id: 'w', data: { sunny: true } },
    { type: 'custom', kind: 'openai.compaction', providerMetadata: { openai: { a: 1 } } },
    { type: 'reasoning-file', mediaType: 'image/png', url: 'data:image/png;base64,AQID' },
  ];
  const later = { type: 'hologram', beam: [1] };
  const { messages, notes } = fromUIMessages(spoken(...parts, later));
  assert.deepEqual(contents(messages), [
    {
      role: 'assistant',
      content: [...parts, later].map((value) => ({ type: 'raw', source: 'ai-sdk', value })),
    },
  ]);
  assert.equal(notes.length, 4);
  await comesBack(spoken(...parts));
  // The SDK would refuse a part that it does not know, so it travels inside one that it does.
  const [written] = await toUIMessages(messages);
  assert.equal(written?.parts[3]?.type, 'data-loom-block');
  assert.deepEqual(contents(fromUIMessages([written]).messages), contents(messages));
});

test('[AS38] steering is a user message between two steps, and goes back into its UI message', async () => {
  const messages = spoken(
    { type: 'step-start' },
    { type: 'text', text: 'one' },
    { type: 'steering-message', id: 's1', parts: [{ type: 'text', text: 'faster' }] },
    { type: 'step-start' },
    { type: 'text', text: 'two' },
  );
  assert.deepEqual(
    fromUIMessages(messages).messages.map(({ role }) => role),
    ['assistant', 'user', 'assistant'],
  );
  await comesBack(messages);
  await comesBack(spoken({ type: 'steering-message', id: 's1', parts: [{ type: 'text', text: 'first' }] }));
});

test('[AS39] the output of a tool that is gone is kept for people only', async () => {
  const messages = spoken({
    type: 'dynamic-tool',
    toolName: 'gone',
    toolCallId: 'c1',
    dynamic: false,
    input: {},
    state: 'output-available',
    output: { secret: 1 },
  });
  const read = fromUIMessages(messages).messages;
  assert.deepEqual(contents(read)[1], {
    role: 'tool',
    tool_call_id: 'c1',
    content: [
      { type: 'text', text: 'Tool output omitted because the tool is no longer available.' },
      { type: 'raw', source: 'ai-sdk', value: { secret: 1 } },
    ],
  });
  assert.doesNotMatch(JSON.stringify(await toModelMessages(read)), /secret/);
  await comesBack(messages);
});

test('[AS45] the prompt keeps its id, metadata and provider metadata', async () => {
  const providerMetadata = { anthropic: { cacheControl: { type: 'ephemeral' } } };
  const system = {
    id: 's',
    role: 'system',
    metadata: 1,
    parts: [{ type: 'text', text: 'be brief', providerMetadata }],
  };
  const { systemPrompt, systemDetails, messages } = fromUIMessages([system]);
  assert.equal(systemPrompt, 'be brief');
  assert.deepEqual(systemDetails, { id: 's', metadata: 1, providerOptions: providerMetadata });
  assert.deepEqual(messages, []);
  await comesBack([system, { id: 'u', role: 'user', parts: [{ type: 'text', text: 'hi' }] }]);
});

test('[AS45] system messages further down and messages without parts are kept whole', async () => {
  const messages = [
    { id: 'u', role: 'user', parts: [{ type: 'text', text: 'hi' }] },
    { id: 's', role: 'system', parts: [{ type: 'text', text: 'new orders' }] },
    { id: 'a', role: 'assistant', metadata: { stopped: true }, parts: [] },
  ];
  const read = fromUIMessages(messages);
  assert.deepEqual(contents(read.messages).slice(1), [
    { role: 'user', content: [{ type: 'raw', source: 'ai-sdk', value: messages[1] }] },
    { role: 'assistant', content: [{ type: 'raw', source: 'ai-sdk', value: messages[2] }] },
  ]);
  assert.equal(read.notes.length, 2);
  await comesBack(messages);
});
