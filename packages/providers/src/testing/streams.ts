import type { Message } from '@loom/blocks';
import { StopController } from '@loom/kernel';
import type { Provider, ProviderEvent, ProviderRequest } from '@loom/kernel';

/** A request in which a person says one thing. */
export function requestSaying(text: string, changes: Partial<ProviderRequest> = {}): ProviderRequest {
  return { model: '', messages: [saying(text)], tools: [], maxTokens: 8192, settings: {}, ...changes };
}

/** What a person says. */
export function saying(text: string): Message {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/** All events of a call. With `stopAfter` the signal is stopped once so many have come. */
export async function collectEvents(
  provider: Provider,
  request: ProviderRequest,
  stopAfter = Number.POSITIVE_INFINITY,
): Promise<ProviderEvent[]> {
  const controller = new StopController();
  if (stopAfter === 0) controller.stop();
  const events: ProviderEvent[] = [];
  for await (const event of provider.stream(request, controller.signal)) {
    events.push(event);
    if (events.length >= stopAfter) controller.stop();
  }
  return events;
}

/** Makes everything below a value unchangeable, so that a write to it throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key));
  }
  return value;
}
