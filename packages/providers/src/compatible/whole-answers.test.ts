import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import type { ProviderEvent } from '@loom/kernel';
import { HastyClock } from '../testing/hasty-clock.ts';
import { collectEvents, requestSaying } from '../testing/streams.ts';
import { createCompatibleProvider } from './index.ts';

test('[PV50] an error that comes with status 200 is the error that it says it is', async () => {
  const error = { message: 'Provider returned error', code: 429 };
  const [last] = (await answersTo('application/json', JSON.stringify({ error }))).slice(-1);
  assert.equal(last?.type === 'call-error' ? last.error.code : '', 'rate-limit');
  const text = await answersTo('application/json; charset=utf-8', '{"error":"model is loading"}');
  const failure = text.at(-1);
  assert.ok(failure?.type === 'call-error' && failure.error.message.includes('model is loading'));
});

test('[PV50] a server that does not stream is understood, and so is one that ends without a word', async () => {
  const message = { role: 'assistant', content: 'Yes.', tool_calls: null };
  const body = { id: 'x', choices: [{ index: 0, message, finish_reason: 'stop' }], usage: null };
  const whole = await answersTo('application/json', JSON.stringify(body));
  assert.deepEqual(
    whole.filter(({ type }) => type === 'block-delta' || type === 'call-end'),
    [
      { type: 'block-delta', key: 'text-1', field: 'text', text: 'Yes.' },
      { type: 'call-end', reason: 'stop' },
    ],
  );
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ choices: [{ delta, finish_reason }] })}\n\n`;
  const bare = await answersTo('text/event-stream', chunk({ content: 'Yes.' }, null) + chunk({}, 'stop'));
  assert.deepEqual(bare.at(-1), { type: 'call-end', reason: 'stop' });
});

/** Returns the events of a call to a server that sends this response to everything. */
async function answersTo(contentType: string, body: string): Promise<ProviderEvent[]> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': contentType });
      response.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const baseURL = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/v1`;
  try {
    const dependencies = { clock: new HastyClock(), random: () => 0.5, key: async () => undefined };
    const provider = createCompatibleProvider({ name: 'server', baseURL }, dependencies);
    return await collectEvents(provider, requestSaying('hello', { model: 'm' }));
  } finally {
    server.closeAllConnections();
    server.close();
  }
}
