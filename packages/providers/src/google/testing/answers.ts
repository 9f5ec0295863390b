import type { AssistantBlock } from '@loom/blocks';
import type { ProviderEvent, ProviderRequest } from '@loom/kernel';
import { instantClock } from '@loom/kernel/testing';
import { inspectEvents } from '../../testing/event-rules.ts';
import { collectEvents, requestSaying } from '../../testing/streams.ts';
import { createGoogleProvider } from '../index.ts';

export const model = 'gemini-3-pro-preview';

/** Returns the provider's events for chunks, and for others if it asks again; a string is a chunk as it is written. */
export async function hear(
  chunks: readonly (string | object)[],
  changes: Partial<ProviderRequest> = {},
  again: readonly (string | object)[] = chunks,
): Promise<{ events: ProviderEvent[]; blocks: AssistantBlock[]; broken: unknown[] }> {
  const bodies = [chunks, again].map((list) =>
    list.map((chunk) => `data: ${typeof chunk === 'string' ? chunk : JSON.stringify(chunk)}\n\n`).join(''),
  );
  let attempts = 0;
  const provider = createGoogleProvider({
    clock: instantClock(),
    random: () => 0.5,
    key: async () => 'key',
    fetch: async () =>
      new Response(bodies[Math.min(attempts++, 1)] ?? '', { headers: { 'content-type': 'text/event-stream' } }),
  });
  const events = await collectEvents(provider, requestSaying('Hello', { model, ...changes }));
  const { blocks, violations } = inspectEvents(events, false);
  return { events, blocks, broken: violations };
}

/** Returns a chunk with these parts. */
export function chunk(parts: readonly object[], more: object = {}): object {
  return { candidates: [{ content: { role: 'model', parts }, index: 0, ...more }] };
}

/** Returns the chunk that ends an answer. */
export function ending(finishReason = 'STOP', more: object = {}): object {
  const usageMetadata = {
    promptTokenCount: 10,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 2,
    cachedContentTokenCount: 4,
  };
  return { ...chunk([{ text: '' }], { finishReason, ...more }), usageMetadata };
}
