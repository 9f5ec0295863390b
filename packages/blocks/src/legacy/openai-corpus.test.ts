import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isMessage, isPlainObject, renderBlockAsText, stableDeepEqual } from '@loom/blocks';
import { fromOpenAIMessages, refusalReason, toOpenAIMessages } from '@loom/blocks/legacy';
import type { OpenAIConversation } from './openai-reading.ts';
import type { MessageBlock } from '@loom/blocks';
import { findCorpus } from '@loom/blocks/testing';

const corpus = findCorpus('openai-legacy-messages');

function readArrays(directory: string): unknown[][] {
  const lines = readFileSync(join(directory, 'messages.jsonl'), 'utf8').split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const entry: unknown = JSON.parse(line);
      assert.ok(isPlainObject(entry) && Array.isArray(entry['messages']));
      const messages: readonly unknown[] = entry['messages'];
      const answer = entry['response_message'];
      return answer === undefined ? [...messages] : [...messages, answer];
    });
}

/** Names of fields that hold structure, not content. */
const structural = new Set(
  (
    'type id role name tool_use_id tool_call_id toolUseId call_id media_type mime_type mimeType format detail signature ' +
    'cache_control index status encrypted_content prompt_cache_breakpoint extras annotations tool_name'
  ).split(' '),
);

/** Returns every string of content, arguments and results in a foreign message of any shape. */
function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsOf);
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, field]) => (structural.has(key) ? [] : stringsOf(field)));
}

function contentStrings(message: unknown): string[] {
  if (!isPlainObject(message)) return [];
  const { content, parts, message: text, tool_calls, function_call, output, arguments: given } = message;
  return stringsOf([content, parts, text, tool_calls, function_call, output, given]);
}

/** All text of the typed blocks: what a string has to be found in to count as converted. */
function typedText(conversation: OpenAIConversation): string {
  const blocks = conversation.messages.flatMap((message): MessageBlock[] => message.content);
  const texts = blocks.map((block) => {
    if (block.type === 'raw') return '';
    if (block.type === 'image') return [block.url, block.filename, block.media_type].join(' ');
    // Parameters that came as an object are looked for value by value.
    return block.type === 'tool-use'
      ? [renderBlockAsText(block), block.arguments ?? '', ...stringsOf([block.parameters])].join('\n')
      : renderBlockAsText(block);
  });
  return [conversation.systemPrompt ?? '', ...texts].join('\n');
}

test('[OA14] at least 99 % of the characters of the corpus become typed blocks', (t) => {
  if (!corpus.found) return t.skip(corpus.reason);
  let total = 0;
  let typed = 0;
  for (const array of readArrays(corpus.directory)) {
    const text = typedText(fromOpenAIMessages(array));
    for (const content of array.flatMap(contentStrings)) {
      total += content.length;
      if (text.includes(content)) typed += content.length;
    }
  }
  t.diagnostic(`${typed} of ${total} characters (${((100 * typed) / total).toFixed(3)} %)`);
  assert.ok(total > 100_000);
  assert.ok(typed / total >= 0.99);
});

test('[OA15] every shape of the corpus that stays raw is on the list with its reason', (t) => {
  if (!corpus.found) return t.skip(corpus.reason);
  const seen = new Set<string>();
  for (const array of readArrays(corpus.directory)) {
    for (const note of fromOpenAIMessages(array).notes) if (note.kind === 'kept-raw') seen.add(note.tag);
  }
  t.diagnostic([...seen].sort().join(', '));
  assert.deepEqual(
    [...seen].filter((tag) => refusalReason(tag) === undefined),
    [],
  );
});

test('[OA16] every array of the corpus gives valid messages, and there and back twice changes nothing', (t) => {
  if (!corpus.found) return t.skip(corpus.reason);
  for (const array of readArrays(corpus.directory)) {
    const once = fromOpenAIMessages(array);
    assert.ok(once.messages.every(isMessage));
    const written = toOpenAIMessages(once);
    const twice = fromOpenAIMessages(written);
    assert.ok(stableDeepEqual(twice.messages, once.messages));
    assert.equal(twice.systemPrompt, once.systemPrompt);
    assert.ok(stableDeepEqual(toOpenAIMessages(twice), written));
  }
});
