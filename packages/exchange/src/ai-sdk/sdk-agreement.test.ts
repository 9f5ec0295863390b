import assert from 'node:assert/strict';
import { test } from 'node:test';
import { interruptedText } from '@loom/blocks';
import { fromUIMessages, toModelMessages } from '@loom/exchange/ai-sdk';
import { convertToModelMessages, modelMessageSchema, validateUIMessages } from 'ai';
import type { ModelMessage, UIMessage } from 'ai';
import * as fc from 'fast-check';
import { uiMessages } from './testing/arbitrary-ui-messages.ts';
import { plain } from './testing/plain.ts';

// The generated messages hold fields that the SDK deprecates, and it would warn each time.
Reflect.set(globalThis, 'AI_SDK_LOG_WARNINGS', false);

async function ours(messages: readonly unknown[]): Promise<unknown> {
  const { systemPrompt, systemDetails = {}, ...read } = fromUIMessages(messages);
  const system = systemPrompt === undefined ? {} : { systemPrompt, systemDetails };
  const written = await toModelMessages(read.messages, system);
  for (const message of written) {
    const result = modelMessageSchema.safeParse(message);
    if (!result.success) throw result.error;
  }
  return plain(written);
}

async function sdks(messages: readonly unknown[]): Promise<unknown> {
  return plain(await convertToModelMessages(await validateUIMessages({ messages })));
}

/** A model's UI message, the only one of its conversation unless others are given. */
function spoken(...parts: object[]): object[] {
  return [{ id: 'm1', role: 'assistant', parts }];
}

const head = { type: 'tool-search', toolCallId: 'c1', input: { q: 1 } };
const done = { ...head, state: 'output-available', output: 'found' };
const refused = { id: 'ap1', approved: false, reason: 'not today' };
const call = { type: 'tool-call', toolCallId: 'c1', toolName: 'search', input: { q: 1 } };

function result(output: object): object {
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c1', toolName: 'search', output }] };
}

const metadata = { google: { thoughtSignature: 'c2ln' } };

const agreed: Record<string, object[]> = {
  'text and files of a person': [
    {
      id: '1',
      role: 'user',
      metadata: { at: 1 },
      parts: [
        { type: 'text', text: 'look', providerMetadata: metadata },
        { type: 'file', mediaType: 'image/png', url: 'https://example.org/a.png', filename: 'a.png' },
        {
          type: 'file',
          mediaType: 'image',
          url: 'data:image/png;base64,AQID',
          providerReference: { openai: 'file-1' },
        },
        { type: 'data-weather', data: { sunny: true } },
      ],
    },
  ],
  'a prompt with options, then an answer': [
    { id: '1', role: 'system', parts: [{ type: 'text', text: 'be brief', providerMetadata: metadata }] },
    { id: '2', role: 'user', parts: [{ type: 'text', text: 'hi' }] },
    { id: '3', role: 'assistant', parts: [{ type: 'text', text: 'hello', state: 'streaming' }] },
  ],
  'signed reasoning before a call': spoken(
    { type: 'step-start' },
    { type: 'reasoning', text: 'hm', providerMetadata: { anthropic: { signature: 'c2ln' } } },
    { type: 'reasoning', text: '', providerMetadata: { anthropic: { redactedData: 'eA==' } } },
    { type: 'text', text: 'let me see' },
    { ...done, callProviderMetadata: metadata },
  ),
  'two rounds and an answer': spoken(
    { type: 'step-start' },
    done,
    { ...done, toolCallId: 'c2', output: { pages: [1] } },
    { type: 'step-start' },
    { ...done, toolCallId: 'c3', output: '' },
    { type: 'step-start' },
    { type: 'text', text: 'so' },
  ),
  'an output that is null': spoken({ ...done, output: null }),
  'a preliminary output': spoken({ ...done, preliminary: true }),
  'a failed call': spoken({ ...head, state: 'output-error', errorText: 'no' }),
  'a failed call whose input did not parse': spoken({
    ...head,
    state: 'output-error',
    input: '{"cut',
    errorText: 'no',
  }),
  'a failed call in the older spelling': spoken({
    type: 'tool-search',
    toolCallId: 'c1',
    state: 'output-error',
    rawInput: '{"cut',
    errorText: 'no',
    resultProviderMetadata: metadata,
  }),
  'a dynamic tool': spoken({ ...done, type: 'dynamic-tool', toolName: 'mcp-search' }),
  'a tool that is gone': spoken({
    ...done,
    type: 'dynamic-tool',
    toolName: 'gone',
    dynamic: false,
    output: { secret: 1 },
  }),
  'a call that is still being written': spoken({ type: 'text', text: 'let me' }, { ...head, state: 'input-streaming' }),
  'a call that the provider ran, and text behind it': spoken(
    { ...done, providerExecuted: true, output: [{ url: 'x' }], resultProviderMetadata: metadata },
    { type: 'text', text: 'so' },
  ),
  'a failed call that the provider ran': spoken({
    ...head,
    state: 'output-error',
    errorText: '{"code":429}',
    providerExecuted: true,
  }),
  'a call that the provider has not finished': spoken({ ...head, state: 'input-available', providerExecuted: true }),
  'steering between two steps': spoken(
    { type: 'step-start' },
    done,
    { type: 'steering-message', id: 's1', parts: [{ type: 'text', text: 'and be quick' }] },
    { type: 'step-start' },
    { type: 'text', text: 'so' },
  ),
  'sources beside an answer': spoken(
    { type: 'text', text: 'so' },
    { type: 'source-url', sourceId: '1', url: 'https://example.org/', title: 'A page' },
    { type: 'source-document', sourceId: '2', mediaType: 'application/pdf', title: 'A book' },
  ),
  'a model that draws': spoken({ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AQID' }),
};

for (const [name, messages] of Object.entries(agreed)) {
  test(`[AS46] the same as the SDK: ${name}`, async () => {
    assert.deepEqual(await ours(messages), await sdks(messages));
  });
}

test('[AS46] generated messages convert as the SDK converts them, but for the differences below', async () => {
  const shape = { openCalls: false, textAfterCalls: false };
  await fc.assert(
    fc.asyncProperty(uiMessages(shape), async (messages) => {
      const valid = await validateUIMessages({ messages });
      const expected = sendLikeLoom(await convertToModelMessages(valid.map(readLikeLoom)));
      assert.deepEqual(await ours(messages), plain(expected));
    }),
    { numRuns: 300 },
  );
});

/** AS49 and AS53, expressed as a change to the SDK's input. */
function readLikeLoom(message: UIMessage): UIMessage {
  const parts = message.parts
    .filter((part) => part.type !== 'reasoning' || part.state !== 'streaming')
    .map((part): UIMessage['parts'][number] =>
      'state' in part && part.state === 'output-denied' ? { ...part, state: 'approval-responded' } : part,
    );
  return { ...message, parts };
}

/** AS50, AS51, AS52 and AS54, expressed as a change to the SDK's output. */
function sendLikeLoom(messages: readonly ModelMessage[]): object[] {
  const unsent = ['tool-approval-request', 'tool-approval-response', 'custom', 'reasoning-file'];
  return messages.flatMap((message) => {
    const parts: readonly { type: string; input?: unknown }[] =
      typeof message.content === 'string' ? [] : message.content;
    const content = parts
      .filter(({ type }) => !unsent.includes(type))
      .map((part) =>
        part.type === 'tool-call' ? { ...part, input: part.input === undefined ? {} : part.input } : part,
      );
    return content.length === 0 ? [] : [{ ...message, content }];
  });
}

test('[AS47] text behind a call goes out after the result, not before it', async () => {
  const messages = spoken(done, { type: 'text', text: 'so' });
  const text = { type: 'text', text: 'so' };
  const answer = result({ type: 'text', value: 'found' });
  assert.deepEqual(await sdks(messages), [{ role: 'assistant', content: [call, text] }, answer]);
  assert.deepEqual(await ours(messages), [
    { role: 'assistant', content: [call] },
    answer,
    { role: 'assistant', content: [text] },
  ]);
});

test('[AS48] a call without a result is answered as interrupted, not sent bare or dropped', async () => {
  const open = [
    { ...head, state: 'input-available' },
    { ...head, state: 'approval-requested', approval: { id: 'ap1' } },
    { ...head, state: 'approval-responded', approval: { id: 'ap1', approved: true } },
  ];
  const interrupted = [{ role: 'assistant', content: [call] }, result({ type: 'error-text', value: interruptedText })];
  for (const part of open) {
    assert.deepEqual(await ours(spoken(part)), interrupted);
    assert.doesNotMatch(JSON.stringify(await sdks(spoken(part))), /tool-result/);
  }
  const later = { id: 'm2', role: 'user', parts: [{ type: 'text', text: 'never mind' }] };
  const waiting = [...spoken({ ...head, state: 'approval-requested', approval: { id: 'ap1' } }), later];
  assert.deepEqual(await sdks(waiting), [{ role: 'user', content: later.parts }]);
  assert.deepEqual(await ours(waiting), [...interrupted, { role: 'user', content: later.parts }]);
});

test('[AS49] a denial is execution-denied in every state', async () => {
  const denied = result({ type: 'execution-denied', reason: 'not today' });
  for (const state of ['approval-responded', 'output-denied']) {
    const part = { ...head, state, approval: refused };
    assert.deepEqual(await ours(spoken(part)), [{ role: 'assistant', content: [call] }, denied]);
    const run = { ...part, providerExecuted: true };
    assert.match(JSON.stringify(await ours(spoken(run))), /execution-denied/);
  }
  const given = { ...head, state: 'output-denied', approval: refused };
  assert.match(JSON.stringify(await sdks(spoken(given))), /"error-text","value":"not today"/);
  assert.doesNotMatch(JSON.stringify(await sdks(spoken({ ...given, providerExecuted: true }))), /tool-result/);
});

test('[AS50] approvals are not sent', async () => {
  const messages = spoken({ ...done, approval: { id: 'ap1', approved: true } });
  assert.match(JSON.stringify(await sdks(messages)), /tool-approval-request.*tool-approval-response/);
  assert.deepEqual(await ours(messages), [
    { role: 'assistant', content: [call] },
    result({ type: 'text', value: 'found' }),
  ]);
});

test('[AS51] custom parts and files of a reasoning are not sent', async () => {
  const messages = spoken(
    { type: 'custom', kind: 'anthropic.compaction' },
    { type: 'reasoning-file', mediaType: 'image/png', url: 'data:image/png;base64,AQID' },
    { type: 'text', text: 'so' },
  );
  assert.match(JSON.stringify(await sdks(messages)), /custom.*reasoning-file/);
  assert.deepEqual(await ours(messages), [{ role: 'assistant', content: [{ type: 'text', text: 'so' }] }]);
});

test('[AS52] messages in which a model would see nothing are left out', async () => {
  const messages = [
    { id: '1', role: 'user', parts: [{ type: 'data-x', data: 1 }] },
    ...spoken({ type: 'steering-message', id: 's', parts: [] }, { type: 'text', text: 'so' }),
  ];
  const empty = { role: 'user', content: [] };
  const answer = { role: 'assistant', content: [{ type: 'text', text: 'so' }] };
  assert.deepEqual(await sdks(messages), [empty, empty, answer]);
  assert.deepEqual(await ours(messages), [answer]);
});

test('[AS53] reasoning that was cut off is not sent', async () => {
  const messages = spoken({ type: 'reasoning', text: 'h', state: 'streaming' }, { type: 'text', text: 'so' });
  assert.match(JSON.stringify(await sdks(messages)), /reasoning/);
  assert.deepEqual(await ours(messages), [{ role: 'assistant', content: [{ type: 'text', text: 'so' }] }]);
});

test('[AS54] a failed call without any input is sent with an empty object', async () => {
  const messages = spoken({ type: 'tool-search', toolCallId: 'c1', state: 'output-error', errorText: 'no' });
  const { input: _none, ...bare } = call;
  const answer = result({ type: 'error-text', value: 'no' });
  assert.deepEqual(await sdks(messages), [{ role: 'assistant', content: [bare] }, answer]);
  assert.deepEqual(await ours(messages), [{ role: 'assistant', content: [{ ...call, input: {} }] }, answer]);
});

test('[AS55] a conversation has one prompt, at the top', async () => {
  const system = (text: string): object => ({ id: text, role: 'system', parts: [{ type: 'text', text }] });
  const user = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'hi' }] };
  const messages = [system('a'), system('b'), user, system('c')];
  const said = { role: 'user', content: user.parts };
  assert.deepEqual(await sdks(messages), [
    { role: 'system', content: 'a' },
    { role: 'system', content: 'b' },
    said,
    { role: 'system', content: 'c' },
  ]);
  assert.deepEqual(await ours(messages), [{ role: 'system', content: 'a\n\nb' }, said]);
});

test('[AS56] lone surrogates and NUL in texts are replaced', async () => {
  const messages = spoken({ type: 'text', text: 'a\0\ud800' });
  assert.deepEqual(await sdks(messages), [{ role: 'assistant', content: [{ type: 'text', text: 'a\0\ud800' }] }]);
  assert.deepEqual(await ours(messages), [{ role: 'assistant', content: [{ type: 'text', text: 'a\uFFFD\uFFFD' }] }]);
});

test('[AS57] a file whose URL cannot be parsed is a placeholder, not an error', async () => {
  const messages = [{ id: '1', role: 'user', parts: [{ type: 'file', mediaType: 'image/png', url: '/a.png' }] }];
  await assert.rejects(sdks(messages), TypeError);
  assert.deepEqual(await ours(messages), [
    { role: 'user', content: [{ type: 'text', text: '[image/png: /a.png (not available)]' }] },
  ]);
});

test('[AS58] a call with a blank id or name is kept as raw', async () => {
  for (const part of [
    { ...done, toolCallId: ' ' },
    { ...done, type: 'dynamic-tool', toolName: '' },
  ]) {
    assert.match(JSON.stringify(await sdks(spoken(part))), /tool-call/);
    assert.deepEqual(await ours(spoken(part)), []);
    assert.deepEqual(
      fromUIMessages(spoken(part)).notes.map(({ reason }) => reason),
      ['kept-raw'],
    );
  }
});
