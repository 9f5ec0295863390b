import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderEvent, ProviderRequest } from '@loom/kernel';
import { anthropicWire } from '../testing/emulators/anthropic.ts';
import { startEmulator } from '../testing/emulators/core.ts';
import { HastyClock } from '../testing/hasty-clock.ts';
import { collectEvents, requestSaying } from '../testing/streams.ts';
import { diagnosticsNote } from './cache-diagnostics.ts';
import { createAnthropicProvider } from './index.ts';

/** The events of a call, and the body that it sent. */
async function ask(changes: Partial<ProviderRequest>): Promise<{ events: ProviderEvent[]; body: string }> {
  const emulator = await startEmulator(anthropicWire, () => ({ said: [{ say: 'Hello.' }] }));
  try {
    const provider = createAnthropicProvider({
      clock: new HastyClock(),
      random: () => 0.5,
      key: async () => 'key',
      baseURL: `${emulator.url}/v1`,
    });
    const events = await collectEvents(provider, requestSaying('Hi.', { model: 'claude-opus-4-8', ...changes }));
    return { events, body: emulator.requests[0]?.body ?? '' };
  } finally {
    await emulator.close();
  }
}

const settings = { cacheDiagnostics: true };

test('[AN9] where the settings ask for it the request names the answer before, and the reason is noted', async () => {
  const first = await ask({ settings });
  assert.match(first.body, /,"diagnostics":\{"previous_message_id":null\}/);
  assert.deepEqual(first.events[1], { type: 'note', data: { anthropic_message_id: 'msg_1' } });
  const trail = [{ node: 'root-1/node-1', role: 'assistant' as const, note: { anthropic_message_id: 'msg_0' } }];
  const { events, body } = await ask({ settings, trail });
  assert.match(body, /,"diagnostics":\{"previous_message_id":"msg_0"\}/);
  assert.deepEqual(events[1], {
    type: 'note',
    data: {
      anthropic_message_id: 'msg_1',
      cache_miss: 'Anthropic does not know the request before any more.',
    },
  });
});

test('[AN9] otherwise nothing is asked for and nothing noted', async () => {
  const { events, body } = await ask({});
  assert.doesNotMatch(body, /diagnostics/);
  assert.ok(events.every(({ type }) => type !== 'note'));
});

test('[AN9] reasons are told in words, with how much was read anew where that is known; a comparison that still runs is no reason', () => {
  const noteOf = (reason: unknown): unknown =>
    diagnosticsNote({ id: 'm', diagnostics: { cache_miss_reason: reason } })?.cache_miss;
  assert.equal(
    noteOf({ type: 'tools_changed', cache_missed_input_tokens: 41_735 }),
    'the tools have changed. About 41735 tokens were read anew.',
  );
  assert.equal(noteOf({ type: 'moon_changed' }), 'moon_changed.');
  assert.equal(noteOf(null), undefined);
});
