import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPlainObject } from '@loom/blocks';
import type { AssistantBlock, Message, PlainObject } from '@loom/blocks';
import type { ProviderRequest } from '@loom/kernel';
import * as fc from 'fast-check';
import { z } from 'zod';
import type { ApiRequest } from '../api/api.ts';
import { watchFetch } from '../api/wire/watched-fetch.ts';
import { anyConversation, conversationFiles } from '../testing/conversations.ts';
import { anthropicWire, signatureOf } from '../testing/emulators/anthropic.ts';
import { conversationText } from '../testing/emulators/core.ts';
import type { Received } from '../testing/emulators/core.ts';
import { HastyClock } from '../testing/hasty-clock.ts';
import { scenarioTools } from '../testing/scenarios.ts';
import { requestSaying, saying } from '../testing/streams.ts';
import { anthropicApi } from './index.ts';
import { createRawReader } from './raw-reader.ts';

/** Sends a request and returns what reached the wire. */
async function send(request: Partial<ProviderRequest>): Promise<{ received: Received; prepared: ApiRequest }> {
  const whole = requestSaying('Hello.', { model: 'claude-opus-4-8', ...request });
  const prepared = anthropicApi.toRequest(whole, conversationFiles);
  let received: Received | undefined;
  const fetch = watchFetch({
    clock: new HastyClock(),
    timeouts: { firstByte: 300_000, stall: 300_000 },
    record: () => {},
    secrets: [],
    exact: prepared.exact,
    onHead: () => {},
    onBytes: () => {},
    onBroken: () => {},
    fetch: async (url, { method = '', headers, body } = {}) => {
      const text = typeof body === 'string' ? body : '';
      const path = new URL(url instanceof Request ? url.url : url).pathname;
      const json: unknown = JSON.parse(text);
      const named = Object.fromEntries(new Headers(headers));
      received = { method, path, headers: named, body: text, json, isLeft: Promise.resolve(false) };
      return new Response('', { status: 500 });
    },
  });
  const model = await anthropicApi.model(whole.model, { fetch, key: 'key', baseURL: undefined });
  await assert.rejects(async () => model.doStream(prepared.options));
  assert.ok(received);
  return { received, prepared };
}

async function bodyOf(request: Partial<ProviderRequest>): Promise<PlainObject> {
  const { json } = (await send(request)).received;
  assert.ok(isPlainObject(json));
  return json;
}

const sentMessages = z.array(
  z.strictObject({ role: z.string(), content: z.array(z.looseObject({ type: z.string() })) }),
);

async function messagesOf(...messages: Message[]): Promise<z.infer<typeof sentMessages>> {
  const { received } = await send({ messages, tools: scenarioTools });
  return sentMessages.parse(JSON.parse(`${conversationText(anthropicWire, received)}]`));
}

function answering(...content: [AssistantBlock, ...AssistantBlock[]]): Message {
  return { role: 'assistant', content };
}

function result(id: string, text: string, isError = false): Message {
  const content = text === '' ? [] : [{ type: 'text' as const, text }];
  return { role: 'tool', tool_call_id: id, content, ...(isError ? { is_error: true } : {}) };
}

const signed = (text: string): AssistantBlock => ({
  type: 'thinking',
  text,
  provider: { anthropic: { signature: signatureOf(text) } },
});

const redacted: AssistantBlock = { type: 'thinking', text: '', provider: { anthropic: { redactedData: 'c2VhbGVk' } } };

const ownThought = fc.oneof(fc.constantFrom('', 'hm', 'I think.').map(signed), fc.constant(redacted));
const conversations = anyConversation('anthropic', ownThought);
const models = fc.constantFrom('claude-opus-4-8', 'claude-sonnet-4-5', 'claude-3-5-haiku-latest');
const anySettings = fc.record(
  {
    reasoning: fc.constantFrom('off', 'low', 'max', 4000),
    temperature: fc.constantFrom(0, 0.7, 1),
    topP: fc.constant(0.9),
  },
  { requiredKeys: [] },
);

test('[AN2] whatever the conversation, model and settings are, nothing is sent that the API refuses', async () => {
  const anyRequest = fc.record({
    messages: conversations,
    model: models,
    settings: anySettings,
    tools: fc.subarray([...scenarioTools]),
    systemPrompt: fc.constantFrom('', ' ', 'Be brief.'),
    maxTokens: fc.constantFrom(1, 1500, 64_000, Number.NaN, -1),
  });
  await fc.assert(
    fc.asyncProperty(anyRequest, async (request) => {
      const isEmpty = await isUnanswerable(request);
      if (isEmpty) return;
      const { received } = await send(request);
      assert.equal(anthropicWire.refuse(received), undefined);
    }),
    { numRuns: 400 },
  );
});

/** Returns true if a request has nothing to send, as for a conversation of blank texts. */
async function isUnanswerable(request: Partial<ProviderRequest>): Promise<boolean> {
  try {
    anthropicApi.toRequest(requestSaying('', request), conversationFiles);
    return false;
  } catch (error) {
    assert.match(String(error), /there is nothing to answer/);
    return true;
  }
}

test('[AN1] a longer conversation begins with the bytes of the shorter one, but for the marks of the cache', async () => {
  await fc.assert(
    fc.asyncProperty(conversations, conversations, async (before, more) => {
      const start = [saying('Hello.'), ...before, saying('Well?')];
      const shorter = conversationText(anthropicWire, (await send({ messages: start })).received);
      const messages = [...start, answering({ type: 'text', text: 'So it is.' }), ...more];
      const longer = conversationText(anthropicWire, (await send({ messages })).received);
      assert.ok(longer.startsWith(shorter), `${shorter}\n${longer}`);
    }),
  );
});

test('[AN1] arguments reach the wire exactly as the model spelled them', async () => {
  const exact = '{"path": "a.txt", "lines": 1.0, "id": 12345678901234567890}';
  const call = { type: 'tool-use' as const, id: 'call_1', name: 'read_file', parameters: {}, arguments: exact };
  const { received } = await send({ messages: [saying('Read.'), answering(call), result('call_1', 'x')] });
  assert.ok(received.body.includes(`"input":${exact}}`));
});

test('[AN1] arguments that are no JSON object are sent as an empty object', async () => {
  const call = { type: 'tool-use' as const, id: 'call_1', name: 'read_file', parameters: {}, arguments: '{"path": "a' };
  const sent = await messagesOf(saying('Read.'), answering(call), result('call_1', 'bad', true));
  assert.deepEqual(sent, [
    { role: 'user', content: [{ type: 'text', text: 'Read.' }] },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'read_file', input: {} }] },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'call_1', is_error: true, content: [{ type: 'text', text: 'bad' }] },
      ],
    },
  ]);
});

test('[AN2] results of calls side by side are one message, with what the person says behind them', async () => {
  const call = (id: string): AssistantBlock => ({ type: 'tool-use', id, name: 'weather', parameters: {} });
  const sent = await messagesOf(
    saying('Both.'),
    answering(call('a'), call('b')),
    result('a', 'snow'),
    result('b', ''),
    saying('And now?'),
  );
  assert.deepEqual(sent[2], {
    role: 'user',
    content: [
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'snow' }] },
      { type: 'tool_result', tool_use_id: 'b' },
      { type: 'text', text: 'And now?' },
    ],
  });
});

test('[AN2] what another model has said behind its calls stands before them', async () => {
  const call: AssistantBlock = { type: 'tool-use', id: 'a', name: 'weather', parameters: {} };
  const sent = await messagesOf(saying('Hi'), answering(call, { type: 'text', text: 'I ask.' }), result('a', 'snow'));
  assert.deepEqual(sent[1], {
    role: 'assistant',
    content: [
      { type: 'text', text: 'I ask.' },
      { type: 'tool_use', id: 'a', name: 'weather', input: {} },
    ],
  });
});

test('[AN2] a picture that a model has made is shown by the next message of the person', async () => {
  const made: AssistantBlock = { type: 'image', media_type: 'image/png', blob: `sha256:${'a'.repeat(64)}` };
  const sent = await messagesOf(saying('Draw.'), answering({ type: 'text', text: 'Here.' }, made), saying('Nice.'));
  assert.deepEqual(
    sent[2]?.content.map(({ type }) => type),
    ['text', 'image', 'text'],
  );
});

test('[AN3] the prompt with the tools, and the ends of the last two messages of the person, are marked for the cache', async () => {
  const messages = [
    saying('1'),
    answering({ type: 'text', text: '2' }),
    saying('3'),
    answering({ type: 'text', text: '4' }),
    saying('5'),
  ];
  const marked = JSON.stringify(await bodyOf({ messages, tools: scenarioTools, systemPrompt: 'Be brief.' }));
  assert.deepEqual(
    [...marked.matchAll(/"text":"([^"]*)","cache_control"/g)].map(([, text]) => text),
    ['Be brief.', '3', '5'],
  );
  const bare = await bodyOf({ messages, tools: scenarioTools });
  assert.match(JSON.stringify(bare.tools), /"name":"weather".*"cache_control"/);
});

test('[AN4] signed and sealed thoughts go back as they came; others are left out, and that is said', async () => {
  const thoughts = [signed('I see.'), redacted, { type: 'thinking' as const, text: 'Whose is it?' }];
  const [first, ...rest] = thoughts;
  assert.ok(first);
  const messages = [saying('Think.'), answering(first, ...rest, { type: 'text', text: 'Done.' }), saying('Good.')];
  const { prepared } = await send({ messages });
  assert.deepEqual(
    prepared.leftOut.map(({ what }) => what),
    ['thinking'],
  );
  const sent = await messagesOf(...messages);
  assert.deepEqual(sent[1]?.content, [
    { type: 'thinking', thinking: 'I see.', signature: signatureOf('I see.') },
    { type: 'redacted_thinking', data: 'c2VhbGVk' },
    { type: 'text', text: 'Done.' },
  ]);
});

test('[AN4] a budget for thinking stays within the limit of the output', async () => {
  const ask = (reasoning: string | number, maxTokens: number): Promise<PlainObject> =>
    bodyOf({ model: 'claude-sonnet-4-5', settings: { reasoning }, maxTokens });
  const { max_tokens: most, thinking } = await ask('max', 8000);
  assert.deepEqual([most, thinking], [8000, { type: 'enabled', budget_tokens: 6976 }]);
  const low = await ask('low', 8000);
  assert.deepEqual([low.max_tokens, low.thinking], [8000, { type: 'enabled', budget_tokens: 2048 }]);
  const small = await ask('high', 1500);
  assert.deepEqual([small.max_tokens, small.thinking], [1500, undefined]);
  assert.deepEqual((await ask('off', 8000)).thinking, { type: 'disabled' });
});

test('[AN4] newer models are told by effort how much to think, older ones nothing', async () => {
  const ask = (model: string, settings: PlainObject): Promise<PlainObject> => bodyOf({ model, settings });
  const newer = await ask('claude-opus-4-8', { reasoning: 'high' });
  assert.deepEqual(newer.output_config, { effort: 'high' });
  assert.deepEqual(newer.thinking, { type: 'adaptive', display: 'summarized' });
  assert.deepEqual((await ask('claude-opus-4-8', { reasoning: 3000 })).output_config, { effort: 'medium' });
  assert.equal((await ask('claude-opus-4-8', {})).thinking, undefined);
  assert.equal((await ask('claude-3-5-haiku-latest', { reasoning: 'high' })).thinking, undefined);
});

test('[AN4] thinking is off for a round whose calls were made without it, and that is said', async () => {
  const call: AssistantBlock = { type: 'tool-use', id: 'a', name: 'weather', parameters: {} };
  const messages = [saying('Go.'), answering(call), result('a', 'snow')];
  const { received, prepared } = await send({ model: 'claude-sonnet-4-5', messages, settings: { reasoning: 'high' } });
  assert.match(received.body, /"thinking":\{"type":"disabled"\}/);
  assert.equal(prepared.leftOut.length, 1);
});

test('[AN5] what Anthropic has run itself goes back byte for byte, in the answer that it came in', async () => {
  const native = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
  const found = {
    type: 'web_search_tool_result',
    tool_use_id: 'srvtoolu_1',
    content: [{ type: 'web_search_result', url: 'https://a.example', title: 'A', encrypted_content: 'eA==' }],
  };
  const call: AssistantBlock = {
    type: 'tool-use',
    id: 'srvtoolu_1',
    name: 'web_search',
    parameters: { query: 'a' },
    arguments: '{"query": "a"}',
    executed: 'provider',
    provider: { anthropic: { native } },
  };
  const answer: Message = {
    role: 'tool',
    tool_call_id: 'srvtoolu_1',
    content: [{ type: 'text', text: 'A', provider: { anthropic: { result: found } } }],
  };
  const messages = [
    saying('Search.'),
    answering(call),
    answer,
    answering({ type: 'text', text: 'Found.' }),
    saying('Thanks.'),
  ];
  const { received } = await send({ messages });
  const spelled = '{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query": "a"}}';
  assert.ok(received.body.includes(`[${spelled},${JSON.stringify(found)},{"type":"text","text":"Found."}]`));
  assert.equal(anthropicWire.refuse(received), undefined);
});

test('[AN6] pictures, PDFs and texts are sent, other files are named and said to be left out', async () => {
  const file = (media_type: string, more: PlainObject = {}): Message => ({
    role: 'user',
    content: [{ type: 'image', media_type, blob: `sha256:${'b'.repeat(64)}`, ...more }],
  });
  const messages = [
    file('image/png'),
    file('application/pdf', { filename: 'paper.pdf' }),
    file('text/markdown'),
    file('audio/mp3', { filename: 'song.mp3' }),
  ];
  const { received, prepared } = await send({ messages });
  const data = Buffer.from('bytes of b').toString('base64');
  assert.ok(
    received.body.includes(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${data}"}}`),
  );
  assert.ok(received.body.includes(`"media_type":"application/pdf","data":"${data}"},"title":"paper.pdf"}`));
  assert.ok(
    received.body.includes(
      '{"type":"document","source":{"type":"text","media_type":"text/plain","data":"bytes of b"}}',
    ),
  );
  assert.deepEqual(prepared.leftOut, [
    { what: 'file', why: 'song.mp3 (audio/mp3) is not a file that this model can take.' },
  ]);
});

test('[AN6] a picture in a result that is an error is named in its place, since only texts are taken there', async () => {
  const picture: Message = {
    role: 'tool',
    tool_call_id: 'call_1',
    is_error: true,
    content: [
      { type: 'text', text: 'It crashed:' },
      { type: 'image', media_type: 'image/png', blob: `sha256:${'b'.repeat(64)}`, filename: 'screen.png' },
    ],
  };
  const call = answering({ type: 'tool-use', id: 'call_1', name: 'weather', parameters: {} });
  const { received, prepared } = await send({ messages: [saying('Look.'), call, picture], tools: scenarioTools });
  const why = 'screen.png (image/png) came with an error, and only texts can.';
  assert.ok(received.body.includes(`{"type":"text","text":"It crashed:"},{"type":"text","text":"(${why})"}`));
  assert.deepEqual(prepared.leftOut, [{ what: 'file', why }]);
});

test('[AN7] an answer that is to be gone on with is the last message where the model takes it, and without white space at its end', async () => {
  const messages = [saying('Count.'), answering({ type: 'text', text: 'One, two, \n' })];
  const older = await bodyOf({ model: 'claude-sonnet-4-5', messages });
  assert.match(JSON.stringify(older.messages), /"text":"One, two,"\}\]\}\]$/);
  const newer = await bodyOf({ model: 'claude-opus-4-8', messages });
  assert.match(JSON.stringify(newer.messages), /"role":"user","content":\[\{"type":"text","text":"Go on exactly/);
});

test('[AN8] a temperature is sent only if one is set; a setting that is not valid is named', async () => {
  assert.equal((await bodyOf({ model: 'claude-sonnet-4-5' })).temperature, undefined);
  assert.equal((await bodyOf({ model: 'claude-sonnet-4-5', settings: { temperature: 0.3 } })).temperature, 0.3);
  const wrong = requestSaying('', { settings: { temperature: 'hot' } });
  assert.throws(() => anthropicApi.toRequest(wrong, new Map()), /the setting temperature is not valid/);
});

test('[AN8] tools that Anthropic runs itself are offered where they are asked for', async () => {
  const { tools } = await bodyOf({
    settings: { providerTools: ['web_search', 'code_execution'] },
    tools: scenarioTools,
  });
  const named = z.array(z.looseObject({ name: z.string(), type: z.string().optional() })).parse(tools);
  assert.deepEqual(
    named.map(({ type, name }) => type ?? name),
    ['web_search_20250305', 'code_execution_20250825', 'read_file', 'weather'],
  );
});

test('[AN10] Claude 4 and 4.5 think between calls; others are not asked to', async () => {
  const beta = async (model: string, reasoning: string): Promise<string> =>
    (await send({ model, settings: { reasoning }, maxTokens: 8000 })).received.headers['anthropic-beta'] ?? '';
  for (const model of ['claude-opus-4-20250514', 'claude-sonnet-4-5', 'claude-haiku-4-5'])
    assert.match(await beta(model, 'low'), /interleaved-thinking-2025-05-14/, model);
  for (const model of ['claude-3-7-sonnet-latest', 'claude-opus-4-8', 'claude-opus-5'])
    assert.doesNotMatch(await beta(model, 'low'), /interleaved/, model);
  assert.doesNotMatch(await beta('claude-sonnet-4-5', 'off'), /interleaved/);
});

test('[AN11] where Anthropic checks whose thoughts come back, it is to leave out those that do not fit', async () => {
  const sent = async (model: string, settings: PlainObject): Promise<[unknown, boolean]> => {
    const { headers, json } = (await send({ model, settings })).received;
    const isAsked = (headers['anthropic-beta'] ?? '').includes('thinking-binding-controls-2026-08-01');
    return [isPlainObject(json) ? json['thinking'] : undefined, isAsked];
  };
  const bound = { block_binding: { prefix_mismatch_behavior: 'drop_block' } };
  assert.deepEqual(await sent('claude-fable-5-1', {}), [bound, true]);
  const thinking = { type: 'adaptive', display: 'summarized', ...bound };
  assert.deepEqual(await sent('claude-fable-5-1', { reasoning: 'high' }), [thinking, true]);
  assert.deepEqual(await sent('claude-opus-5', { reasoning: 'high', blockBinding: true }), [thinking, true]);
  assert.deepEqual(await sent('claude-opus-5', {}), [undefined, false]);
  assert.deepEqual((await sent('claude-fable-5-1', { blockBinding: false }))[1], false);
});

test('[AN11] thoughts that Anthropic has left out are noted on the answer', () => {
  const read = createRawReader();
  const message = {
    usage: { input_tokens: 5 },
    input_transformations: [
      { type: 'thinking_dropped', path: 'messages.3.content.0', reason: 'prefix_binding_mismatch' },
      { type: 'thinking_mismatch_allowed', path: 'messages.5.content.0', reason: 'prefix_binding_mismatch' },
    ],
  };
  const why = 'Anthropic left it out: what stands before it has changed.';
  assert.deepEqual(read({ type: 'message_start', message })?.[0], {
    type: 'note',
    data: { left_out: [{ what: 'thinking', why }] },
  });
});
