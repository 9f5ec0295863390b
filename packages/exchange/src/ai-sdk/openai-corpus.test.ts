import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isPlainObject } from '@loom/blocks';
import { fromOpenAIMessages } from '@loom/blocks/legacy';
import { findCorpus } from '@loom/blocks/testing';
import { fromModelMessages, toModelMessages, toUIMessages } from '@loom/exchange/ai-sdk';
import { modelMessageSchema, validateUIMessages } from 'ai';
import { plain } from './testing/plain.ts';

const corpus = findCorpus('openai-legacy-messages');

function readArrays(directory: string): unknown[][] {
  const lines = readFileSync(join(directory, 'messages.jsonl'), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const entry: unknown = JSON.parse(line);
      assert.ok(isPlainObject(entry) && Array.isArray(entry['messages']));
      const messages: unknown[] = entry['messages'];
      return 'response_message' in entry ? [...messages, entry['response_message']] : messages;
    });
}

test('[AS19, AS32, AS44] every conversation of the corpus converts to what the SDK accepts, and stays the same', async (t) => {
  if (!corpus.found) return t.skip(corpus.reason);
  let count = 0;
  for (const array of readArrays(corpus.directory)) {
    const { messages } = fromOpenAIMessages(array);
    const written = await toModelMessages(messages);
    for (const message of written) {
      const result = modelMessageSchema.safeParse(message);
      if (!result.success) throw result.error;
      count += 1;
    }
    assert.deepEqual(plain(await toModelMessages(fromModelMessages(written).messages)), plain(written));
    const shown = await toUIMessages(messages);
    if (shown.length > 0) await validateUIMessages({ messages: shown });
  }
  t.diagnostic(`${count} messages`);
  assert.ok(count > 1000);
});
