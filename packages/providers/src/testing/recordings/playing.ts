import type { Provider, ProviderEvent } from '@loom/kernel';
import { createAnthropicProvider } from '../../anthropic/index.ts';
import type { ApiDependencies } from '../../api/api.ts';
import { createGoogleProvider } from '../../google/index.ts';
import { createCompatibleProvider } from '../../compatible/index.ts';
import { createOpenAIProvider } from '../../openai/index.ts';
import { HastyClock } from '../hasty-clock.ts';
import { collectEvents, requestSaying } from '../streams.ts';
import type { Recording, WireName } from './recording.ts';

const server = { name: 'compatible', baseURL: 'http://127.0.0.1:1/v1' };

const providers: Record<WireName, (dependencies: ApiDependencies) => Provider> = {
  anthropic: createAnthropicProvider,
  google: createGoogleProvider,
  'openai-responses': createOpenAIProvider,
  // Most were recorded with other servers that speak OpenAI's API.
  'openai-chat': (dependencies) => createCompatibleProvider(server, dependencies),
};

const models: Record<WireName, string> = {
  anthropic: 'claude-sonnet-4-5',
  google: 'gemini-3-pro-preview',
  'openai-responses': 'gpt-5',
  'openai-chat': 'gpt-5',
};

/** Returns the real provider's events for an answer, given the chunks of bytes in which it arrives. */
export async function play(
  { wire, status }: Pick<Recording, 'wire' | 'status'>,
  chunks: Iterable<Uint8Array>,
): Promise<ProviderEvent[]> {
  const type = status < 400 ? 'text/event-stream' : 'application/json';
  const provider = providers[wire]({
    clock: new HastyClock(),
    random: () => 0.5,
    key: async () => 'key',
    fetch: async () => new Response(ReadableStream.from(chunks), { status, headers: { 'content-type': type } }),
  });
  return collectEvents(provider, requestSaying('Go on.', { model: models[wire] }));
}

/** Plays a recording unchanged. */
export function playWhole(recording: Recording): Promise<ProviderEvent[]> {
  return play(recording, [new TextEncoder().encode(recording.body)]);
}
