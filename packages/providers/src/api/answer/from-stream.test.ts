import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderEvent } from '@loom/kernel';
import { JSONParseError, TypeValidationError } from '@ai-sdk/provider';
import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { inspectEvents } from '../../testing/event-rules.ts';
import { saidMessages } from '../../testing/said-messages.ts';
import { requestSaying } from '../../testing/streams.ts';
import type { Api } from '../api.ts';
import { StreamReader } from './from-stream.ts';

const usage = {
  inputTokens: { total: 10, noCache: 4, cacheRead: 5, cacheWrite: 1 },
  outputTokens: { total: 7, text: 4, reasoning: 3 },
  raw: { input_tokens: 10 },
};
const finish: LanguageModelV4StreamPart = { type: 'finish', finishReason: { unified: 'stop', raw: 'end' }, usage };

function read(parts: readonly LanguageModelV4StreamPart[], api: Partial<Api> = {}): ProviderEvent[] {
  const reader = new StreamReader({ id: 'acme', ...api }, requestSaying(''));
  const events = parts
    .flatMap((part) => reader.take(part))
    .flatMap((event) => (event.type === 'made-file' ? [] : [event]));
  assert.deepEqual(inspectEvents([{ type: 'call-start' }, ...events], false).violations, []);
  return events;
}

const search: LanguageModelV4StreamPart[] = [
  { type: 'tool-call', toolCallId: 's1', toolName: 'web_search', input: '{"q":"x"}', providerExecuted: true },
  { type: 'tool-result', toolCallId: 's1', toolName: 'web_search', result: { found: ['a'] } },
];

test('[AP1] an event that the SDK cannot read is kept whole and ends nothing', () => {
  const unknown = { type: 'surprise', payload: { of: 'the future' } };
  const events = read([
    { type: 'raw', rawValue: unknown },
    { type: 'error', error: new TypeValidationError({ value: unknown, cause: new Error('no') }) },
    { type: 'raw', rawValue: undefined },
    { type: 'error', error: new JSONParseError({ text: '{"cut', cause: new Error('no') }) },
    { type: 'raw', rawValue: null },
    { type: 'error', error: new TypeValidationError({ value: null, cause: new Error('no') }) },
    { type: 'custom', kind: 'acme.new', providerMetadata: { acme: { a: 1 } } },
    { type: 'text-delta', id: '1', delta: 'still here' },
    finish,
  ]);
  const [message] = saidMessages(events);
  assert.deepEqual(message?.content, [
    { type: 'raw', source: 'acme', value: unknown },
    { type: 'raw', source: 'acme', value: '{"cut' },
    { type: 'raw', source: 'acme', value: null },
    { type: 'raw', source: 'acme', value: { type: 'custom', kind: 'acme.new', providerMetadata: { acme: { a: 1 } } } },
    { type: 'text', text: 'still here' },
  ]);
  assert.deepEqual(events.at(-1), { type: 'call-end', reason: 'stop' });
});

test('[AP1] what the provider reports as an error ends the stream', () => {
  const reader = new StreamReader({ id: 'acme' }, requestSaying(''));
  const error = { message: 'overloaded', statusCode: 529 };
  assert.deepEqual(reader.take({ type: 'error', error }), []);
  assert.deepEqual(reader.end, { ok: false, error });
  assert.deepEqual(reader.take({ type: 'text-delta', id: '1', delta: 'late' }), []);
});

test('[AP3] sources are gathered, each once, into one block at the end', () => {
  const page = (url: string, title?: string): LanguageModelV4StreamPart => ({
    type: 'source',
    sourceType: 'url',
    id: String(Math.random()),
    url,
    ...(title === undefined ? {} : { title }),
  });
  const events = read([
    page('https://a.example'),
    { type: 'text-delta', id: '1', delta: 'words' },
    page('https://b.example', 'B'),
    page('https://a.example', 'A'),
    { type: 'source', sourceType: 'document', id: 'd', mediaType: 'application/pdf', title: 'Paper' },
    finish,
  ]);
  assert.deepEqual(saidMessages(events)[0]?.content.at(-1), {
    type: 'sources',
    sources: [
      { id: 'source-1', url: 'https://a.example', title: 'A' },
      { id: 'source-2', url: 'https://b.example', title: 'B' },
      { id: 'source-3', url: '', title: 'Paper' },
    ],
  });
});

test('[AP4] a tool that the provider has run is a call, a result with its whole payload, and a new message behind it', () => {
  const events = read([...search, { type: 'text-delta', id: '1', delta: 'Found.' }, finish]);
  assert.deepEqual(saidMessages(events), [
    {
      role: 'assistant',
      content: [{ type: 'tool-use', id: 's1', name: 'web_search', parameters: { q: 'x' }, executed: 'provider' }],
    },
    {
      role: 'tool',
      tool_call_id: 's1',
      content: [{ type: 'text', text: '{"found":["a"]}', provider: { acme: { result: { found: ['a'] } } } }],
    },
    { role: 'assistant', content: [{ type: 'text', text: 'Found.' }] },
  ]);
  assert.deepEqual(events.at(-1), { type: 'call-end', reason: 'stop' });
});

test('[AP4] a result that answers no call is kept as it came', () => {
  const [, result] = search;
  assert.ok(result);
  assert.deepEqual(saidMessages(read([result, finish]))[0]?.content, [{ type: 'raw', source: 'acme', value: result }]);
});

test('[AP5] what a provider wants back is kept under its name; a thought may have no words', () => {
  const events = read(
    [
      { type: 'reasoning-start', id: '0', providerMetadata: { acme: { sealed: 'x', nothing: null } } },
      { type: 'reasoning-end', id: '0' },
      { type: 'reasoning-start', id: '1' },
      { type: 'reasoning-delta', id: '1', delta: 'Hm.' },
      { type: 'reasoning-delta', id: '1', delta: '', providerMetadata: { acme: { signature: 's' } } },
      { type: 'reasoning-end', id: '1' },
      { type: 'reasoning-start', id: '2' },
      { type: 'reasoning-end', id: '2' },
      { type: 'text-start', id: '3' },
      { type: 'text-delta', id: '3', delta: 'Yes.' },
      { type: 'text-end', id: '3', providerMetadata: { acme: { item: 'i' }, other: { no: 1 } } },
      finish,
    ],
    {},
  );
  assert.deepEqual(saidMessages(events)[0]?.content, [
    { type: 'thinking', text: '', provider: { acme: { sealed: 'x' } } },
    { type: 'thinking', text: 'Hm.', provider: { acme: { signature: 's' } } },
    { type: 'text', text: 'Yes.', provider: { acme: { item: 'i' } } },
  ]);
});

test('[AP5] arguments are the string that was streamed, or that came with the call', () => {
  const events = read([
    { type: 'tool-input-start', id: 'a', toolName: 'one' },
    { type: 'tool-input-delta', id: 'a', delta: '{"n": ' },
    { type: 'tool-input-delta', id: 'a', delta: '1.0}' },
    { type: 'tool-input-end', id: 'a' },
    { type: 'tool-call', toolCallId: 'a', toolName: 'one', input: '{"n": 1.0}' },
    { type: 'tool-call', toolCallId: 'b', toolName: 'two', input: '{"m":2}' },
    { type: 'tool-input-start', id: 'c', toolName: 'three' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'three', input: '' },
    { type: 'tool-call', toolCallId: 'c', toolName: 'three', input: '{"again":1}' },
    finish,
  ]);
  assert.deepEqual(saidMessages(events)[0]?.content, [
    { type: 'tool-use', id: 'a', name: 'one', parameters: { n: 1 }, arguments: '{"n": 1.0}' },
    { type: 'tool-use', id: 'b', name: 'two', parameters: { m: 2 } },
    { type: 'tool-use', id: 'c', name: 'three', parameters: {} },
  ]);
  assert.deepEqual(events.at(-1), { type: 'call-end', reason: 'tool-use' });
});

test('[AP6] usage counts cached input as input and reasoning as output; nonsense costs nothing', () => {
  const told = read([finish]).find((event) => event.type === 'usage');
  assert.deepEqual(told?.usage, {
    input_tokens: 10,
    output_tokens: 7,
    cached_input_tokens: 5,
    cache_write_tokens: 1,
    reasoning_tokens: 3,
    raw: { input_tokens: 10 },
  });
  const odd = { ...usage, inputTokens: { ...usage.inputTokens, total: Number.NaN, cacheRead: -1 } };
  const counted = read([{ type: 'finish', finishReason: { unified: 'stop', raw: '' }, usage: odd }])[0];
  assert.ok(counted?.type === 'usage');
  assert.equal(counted.usage.input_tokens, 0);
});
