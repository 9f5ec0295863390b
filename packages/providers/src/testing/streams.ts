import { createHash } from 'node:crypto';
import type { Message } from '@loom/blocks';
import type { BlobPort, Provider, ProviderCall, ProviderEvent, ProviderRequest, ToolContext } from '@loom/kernel';

/** Returns a request with one user message. */
export function requestSaying(text: string, changes: Partial<ProviderRequest> = {}): ProviderRequest {
  const place = { root: 'root-1', node: 'root-1/node-1', invalid: [], trail: [] };
  return { ...place, model: '', messages: [saying(text)], tools: [], maxTokens: 8192, settings: {}, ...changes };
}

/** Returns a user message. */
export function saying(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** Returns all events of a call. With `stopAfter` the signal aborts after that many. */
export async function collectEvents(
  provider: Provider,
  request: ProviderRequest,
  stopAfter = Number.POSITIVE_INFINITY,
): Promise<ProviderEvent[]> {
  const controller = new AbortController();
  if (stopAfter === 0) controller.abort();
  const events: ProviderEvent[] = [];
  for await (const event of provider.stream(request, callWith(controller.signal))) {
    events.push(event);
    if (events.length >= stopAfter) controller.abort();
  }
  return events;
}

/** Returns the inputs of a provider call beside its request. */
export function callWith(signal: AbortSignal): ProviderCall {
  return {
    signal,
    blobs: memoryBlobs(),
    steering: (async function* () {})(),
    decide: async () => ({ decision: 'approved', by: 'person' }),
    session: async () => ({ ok: false, refusal: { reason: 'nothing-said' } }),
    record: () => {},
  };
}

/** Returns the context of a tool call. */
export function contextWith(signal: AbortSignal, answer?: string): ToolContext {
  const place: ToolContext = {
    root: 'root-1',
    node: 'root-1/node-2',
    turn: 'turn-1',
    agent: 'demo:demo',
    signal,
    blobs: memoryBlobs(),
    call: async (operation) => ({ ok: false, refusal: { reason: 'unknown-operation', operation, nearest: [] } }),
  };
  return answer === undefined ? place : { ...place, answer };
}

function memoryBlobs(): BlobPort {
  const kept = new Map<string, Uint8Array>();
  const put = async (bytes: Uint8Array): Promise<string> => {
    const id = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
    kept.set(id, bytes);
    return id;
  };
  return {
    get: async (id, { start, end } = {}) => kept.get(id)?.slice(start, end),
    size: async (id) => kept.get(id)?.length,
    put,
    async create() {
      const written: Uint8Array[] = [];
      return {
        write: async (bytes) => void written.push(bytes.slice()),
        finish: async () => {
          const bytes = Buffer.concat(written);
          return { id: await put(bytes), bytes: bytes.length };
        },
        abandon: async () => {},
      };
    },
  };
}

/** Freezes everything below a value, so that a write to it throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key));
  }
  return value;
}
