import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isMessage, normalizeForComparison } from '@loom/blocks';
import { anyMessage } from '@loom/blocks/testing';
import { fromModelMessages, toModelMessages } from '@loom/exchange/ai-sdk';
import type { ModelMessage } from '@loom/exchange/ai-sdk';
import { modelMessageSchema } from 'ai';
import type { ModelMessage as SdkModelMessage } from 'ai';
import * as fc from 'fast-check';
import { conversations } from './testing/arbitrary-conversations.ts';
import { modelMessages } from './testing/arbitrary-model-messages.ts';
import { plain } from './testing/plain.ts';

/** Does not compile unless the SDK accepts everything that Loom writes. */
function asSdkMessages(messages: ModelMessage[]): SdkModelMessage[] {
  return messages;
}

const anyConversation = fc.array(anyMessage, { maxLength: 8 });

test('[AS19] everything written satisfies the schema and the types of the SDK', async () => {
  await fc.assert(
    fc.asyncProperty(anyConversation, async (messages) => {
      for (const message of asSdkMessages(await toModelMessages(messages))) {
        const result = modelMessageSchema.safeParse(message);
        if (!result.success) throw result.error;
      }
    }),
  );
});

test('[AS20] every call is followed by exactly its results, and nothing is said in between', async () => {
  await fc.assert(
    fc.asyncProperty(anyConversation, async (messages) => {
      const written = await toModelMessages(messages);
      for (const [index, message] of written.entries()) {
        const next = written[index + 1];
        if (message.role === 'tool') assert.equal(written[index - 1]?.role, 'assistant');
        if (message.role !== 'assistant') continue;
        const calls = message.content.flatMap((part) => (part.type === 'tool-call' ? [part.toolCallId] : []));
        const answered = next?.role === 'tool' ? next.content.map((part) => part.toolCallId) : [];
        assert.deepEqual(answered, calls);
        const afterCalls = message.content.slice(message.content.findIndex(({ type }) => type === 'tool-call'));
        if (calls.length === 0) continue;
        assert.ok(
          !afterCalls.some((part) => part.type === 'file' || (part.type === 'text' && part.text.trim() !== '')),
        );
      }
    }),
  );
});

test('[AS32] reading what was written gives equal messages', async () => {
  await fc.assert(
    fc.asyncProperty(conversations, async (messages) => {
      const read = fromModelMessages(await toModelMessages(messages, { systemPrompt: 'be brief' }));
      assert.equal(read.systemPrompt, 'be brief');
      assert.deepEqual(read.notes, []);
      assert.deepEqual(normalizeForComparison(read.messages).messages, normalizeForComparison(messages).messages);
    }),
  );
});

test('[AS32] thinking keeps its provider data on the way there and back', async () => {
  await fc.assert(
    fc.asyncProperty(conversations, async (messages) => {
      const read = fromModelMessages(await toModelMessages(messages));
      const thoughts = (list: typeof messages): unknown =>
        plain(list.flatMap(({ content }) => content.filter((block) => block.type === 'thinking')));
      assert.deepEqual(thoughts(read.messages), thoughts(messages));
    }),
  );
});

test('[AS32] writing what was read gives the same model messages', async () => {
  await fc.assert(
    fc.asyncProperty(modelMessages, async (messages) => {
      const read = fromModelMessages(messages);
      assert.deepEqual(read.notes, []);
      assert.ok(read.messages.every(isMessage));
      assert.deepEqual(plain(await toModelMessages(read.messages)), plain(messages));
    }),
  );
});

test('[AS32] whatever was lost the first time, a second round changes nothing', async () => {
  await fc.assert(
    fc.asyncProperty(anyConversation, async (messages) => {
      const once = await toModelMessages(messages);
      assert.deepEqual(plain(await toModelMessages(fromModelMessages(once).messages)), plain(once));
    }),
  );
});
