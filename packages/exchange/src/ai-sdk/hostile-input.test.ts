import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMessage, parseMessage } from '@loom/blocks';
import { fromChatRows, fromModelMessages, fromUIMessages, toModelMessages, toUIMessages } from '@loom/exchange/ai-sdk';
import { modelMessageSchema, validateUIMessages } from 'ai';
import * as fc from 'fast-check';

Reflect.set(globalThis, 'AI_SDK_LOG_WARNINGS', false);

const anything = fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true });
const types = fc.constantFrom(
  ...'text reasoning file image tool-call tool-result tool-approval-request tool-approval-response custom'.split(' '),
  ...'step-start source-url source-document steering-message tool-x dynamic-tool data-x data-loom-block'.split(' '),
  ...'data-loom-result tool agent-tool sources'.split(' '),
);
const words = fc.constantFrom(
  'a',
  '',
  ' ',
  'c1',
  'output-available',
  'input-streaming',
  'approval-responded',
  'output-error',
);

/** Objects with the right keys and arbitrary values: most of them nearly make sense. */
const part = fc.record(
  {
    type: types,
    text: fc.oneof(words, anything),
    content: fc.oneof(words, anything),
    state: words,
    toolCallId: fc.oneof(words, anything),
    toolName: words,
    input: anything,
    output: fc.oneof(fc.record({ type: fc.constantFrom('text', 'json', 'content'), value: anything }), anything),
    errorText: words,
    mediaType: words,
    url: words,
    data: anything,
    approval: fc.oneof(fc.record({ id: words, approved: fc.boolean() }), anything),
    providerMetadata: anything,
    providerOptions: anything,
    parts: anything,
    sources: anything,
    toolArgs: anything,
    command: words,
  },
  { requiredKeys: ['type'] },
);
const parts = fc.array(fc.oneof({ arbitrary: part, weight: 4 }, anything), { maxLength: 4 });
const message = fc.record(
  {
    id: fc.oneof(words, anything),
    role: fc.constantFrom('system', 'user', 'assistant', 'tool', 'model'),
    content: fc.oneof(parts, words, anything),
    parts: fc.oneof(parts, anything),
    rawContent: fc.oneof(words, anything),
    iterations: fc.oneof(fc.array(fc.record({ rawContent: words, toolOutput: anything })), anything),
    metadata: anything,
    providerOptions: anything,
  },
  { requiredKeys: ['role'] },
);
const messages = fc.array(fc.oneof({ arbitrary: message, weight: 4 }, anything), { maxLength: 4 });

for (const reader of [fromModelMessages, fromUIMessages, fromChatRows]) {
  test(`[AS24, CR10] nothing makes ${reader.name} throw, and all that it reads is valid`, async () => {
    await fc.assert(
      fc.asyncProperty(messages, async (input) => {
        const read = reader(input);
        assert.ok(read.messages.every(isMessage));
        for (const written of await toModelMessages(read.messages)) {
          assert.ok(modelMessageSchema.safeParse(written).success);
        }
        const shown = await toUIMessages(read.messages);
        if (shown.length > 0) await validateUIMessages({ messages: shown });
      }),
      { numRuns: 500 },
    );
  });
}

test('[AS24] objects that contain themselves do no harm', async () => {
  const knot: Record<string, unknown> = { type: 'text', text: 'x' };
  knot['providerMetadata'] = knot;
  knot['providerOptions'] = { a: knot };
  const ui = fromUIMessages([{ id: '1', role: 'user', parts: [knot] }, knot]);
  const model = fromModelMessages([{ role: 'user', content: [knot] }]);
  for (const { messages: read, notes } of [ui, model]) {
    assert.ok(read.every(isMessage));
    assert.ok(notes.every(({ reason }) => reason === 'kept-raw'));
  }
});

test('[AS24, AS30] what JSON cannot hold is kept as JSON makes it, and every string is clean', () => {
  const odd = { at: new Date(0), big: 10n ** 20n, gap: undefined, bytes: new Uint8Array([1]), no: Number.NaN };
  const kept = { at: '1970-01-01T00:00:00.000Z', big: '100000000000000000000', bytes: 'AQ==', no: null };
  const broken = 'a\uD83D\0';
  const head = { toolCallId: broken, toolName: broken };
  const parts = [
    { type: 'dynamic-tool', ...head, state: 'output-available', input: odd, output: odd },
    { type: 'file', mediaType: 'image/png', url: 'https://example.org/', filename: broken },
    { type: 'source-url', sourceId: broken, url: broken, title: broken },
    { type: 'agent-tool', ...head, toolArgs: odd, content: broken, more: odd },
    { type: `tool-${broken}`, toolCallId: '2', state: 'input-available', input: odd },
  ];
  const content = [
    { type: 'tool-call', ...head, input: odd, more: odd },
    { type: 'tool-result', ...head, output: { type: 'content', value: [{ type: 'file-url', url: broken }] } },
  ];
  const reads = [
    fromModelMessages([{ role: 'assistant', content, more: odd }]),
    fromUIMessages([{ id: '1', role: 'assistant', metadata: odd, parts }]),
    fromChatRows([{ role: 'assistant', createdAt: odd, parts: parts.slice(3, 4) }]),
    fromChatRows([{ role: 'assistant', iterations: [{ rawContent: broken, more: odd }] }]),
  ];
  for (const { messages: read } of reads) {
    for (const each of read) assert.deepEqual(parseMessage(each), each);
  }
  const calls = reads.slice(0, 3).map((read) => read.messages[0]?.content[0]);
  for (const block of calls) assert.ok(block?.type === 'tool-use');
  assert.deepEqual(
    calls.map((block) => block?.type === 'tool-use' && block.parameters),
    [kept, kept, kept],
  );
});
