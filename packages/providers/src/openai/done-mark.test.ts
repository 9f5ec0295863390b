import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderEvent } from '@loom/kernel';
import { frozenClock } from '@loom/kernel/testing';
import { createCompatibleProvider } from '../compatible/index.ts';
import { collectEvents, requestSaying } from '../testing/streams.ts';

const word = { id: 'c1', choices: [{ index: 0, delta: { content: 'Yes.' }, finish_reason: null }] };
const call = {
  id: 'c1',
  choices: [{ index: 0, delta: { tool_calls: [{ index: 0, id: 'a', function: { name: 'look', arguments: '{}' } }] } }],
};

/** Returns the provider's events for a body that comes in pieces of `size` bytes. */
async function hear(body: string, size = 7): Promise<ProviderEvent[]> {
  const bytes = new TextEncoder().encode(body);
  const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
    bytes.slice(at * size, (at + 1) * size),
  );
  const settings = { name: 'gateway', baseURL: 'http://127.0.0.1/v1' };
  const provider = createCompatibleProvider(settings, {
    clock: frozenClock(),
    random: () => 0.5,
    key: async () => undefined,
    fetch: async () => new Response(ReadableStream.from(pieces), { headers: { 'content-type': 'text/event-stream' } }),
  });
  return collectEvents(provider, requestSaying('Hello', { model: 'm' }));
}

function lines(...chunks: (object | string)[]): string {
  return chunks.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join('');
}

test('[PV50] the mark at the end of a stream is an end, also without a finish reason', async () => {
  for (const body of [
    lines(word, '[DONE]'),
    lines(word, '[DONE]').trimEnd(),
    lines(word, '[DONE]').replaceAll('\n', '\r\n'),
  ])
    for (const size of [1, 7, 10_000])
      assert.deepEqual((await hear(body, size)).at(-1), { type: 'call-end', reason: 'stop' });
  assert.deepEqual((await hear(lines(call, '[DONE]'))).at(-1), { type: 'call-end', reason: 'tool-use' });
  const limited = { choices: [{ index: 0, delta: {}, finish_reason: 'length' }] };
  assert.deepEqual((await hear(lines(word, limited, '[DONE]'))).at(-1), { type: 'call-end', reason: 'length' });
});

test('[PV50] a stream without the mark and a finish reason was cut, whatever the model says', async () => {
  const saying = { choices: [{ index: 0, delta: { content: 'data: [DONE]\n"finish_reason":"stop"' } }] };
  for (const body of [lines(word), lines(saying)]) {
    const last = (await hear(body)).at(-1);
    assert.equal(last?.type === 'call-error' && last.error.code, 'network');
  }
});
