import { isJson } from '@loom/blocks';
import { copyObject } from '../../context/context.ts';
import type { CallError, Provider, ProviderCall, ProviderEvent, ProviderRequest } from '../../provider.ts';
import { BadEvent, EventRules } from './event-rules.ts';
import { describeThrown, disregard } from '../misbehaviour.ts';
import type { StopPatience } from '../stop-patience.ts';
import { isTooDeep } from '../output/nesting.ts';
import { TurnStopped } from '../turn-writer.ts';

/** The failure of a call: as its provider reports it, or caused by its provider's behavior. */
export type CallFailure = Omit<CallError, 'code'> & {
  code:
    | CallError['code']
    | 'cut-off'
    | 'provider-failed'
    | 'bad-event'
    | 'empty-answer'
    | 'no-room'
    | 'uncountable'
    | 'spending-limit'
    | 'unknown-cost';
};

/** The speaker: a provider, or an agent of it that has begun a turn. */
export type Speaker = Pick<Provider, 'id' | 'runsTools' | 'stream'>;

/** An event that passed the door. */
export type HeardEvent = Exclude<ProviderEvent, { type: 'call-error' }> | { type: 'call-error'; error: CallFailure };

/**
 * Yields the events of a provider as far as they can be kept: each event is parsed and in its place, and the last one is
 * `call-end` or `call-error`, even if the provider misbehaves. Throws only when the turn is stopped.
 */
export async function* listenTo(
  provider: Speaker,
  request: ProviderRequest,
  call: ProviderCall,
  patience: StopPatience,
): AsyncGenerator<HeardEvent, void> {
  const rules = new EventRules(provider.runsTools === true);
  let events: AsyncIterator<unknown, unknown> | undefined;
  try {
    events = openStream(provider, request, call);
    for (;;) {
      const event = rules.take(await patience.wait(nextOf(events)));
      yield event;
      if (event.type === 'call-end' || event.type === 'call-error') return;
    }
  } catch (error) {
    if (error instanceof TurnStopped) throw error;
    yield { type: 'call-error', error: failureOf(provider.id, error) };
  } finally {
    if (events !== undefined) await leave(events, patience);
  }
}

function openStream(provider: Speaker, request: ProviderRequest, call: ProviderCall): AsyncIterator<unknown, unknown> {
  const stream: unknown = provider.stream(standAlone(request), call);
  if (!isAsyncIterable(stream)) {
    disregard(stream);
    throw new TypeError('it gave no stream of events');
  }
  return stream[Symbol.asyncIterator]();
}

/**
 * Returns a request that shares nothing with the state of the log: changes that a provider makes to it stay with the
 * provider.
 */
function standAlone(request: ProviderRequest): ProviderRequest {
  const tools = request.tools.map((tool) => ({ ...tool, parameters: copyObject(tool.parameters) }));
  return { ...request, tools, settings: copyObject(request.settings) };
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown, unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** The next event; a stream that ends before the call does has broken off. */
async function nextOf(events: AsyncIterator<unknown, unknown>): Promise<unknown> {
  const { done, value } = await events.next();
  if (done === true) throw new CutOff();
  return value;
}

/** Lets go of a stream. Only one that was told to stop is waited for: its answer is no longer needed. */
async function leave(events: AsyncIterator<unknown, unknown>, patience: StopPatience): Promise<void> {
  const left = (async () => events.return?.())().catch(() => {});
  if (patience.signal.aborted) await patience.wait(left).catch(() => {});
}

class CutOff extends Error {}

function failureOf(provider: string, error: unknown): CallFailure {
  if (error instanceof CutOff) {
    return { code: 'cut-off', message: `The provider ${provider} stopped in the middle of its answer.` };
  }
  if (!(error instanceof BadEvent)) {
    return { code: 'provider-failed', message: `The provider ${provider} failed: ${describeThrown(error)}` };
  }
  const message = `The provider ${provider} sent an event that cannot be kept: ${error.message}`;
  const event = smallJson(error.event);
  return { code: 'bad-event', message, ...(event === undefined ? {} : { detail: { event } }) };
}

/** More of a bad event than this, in characters, is not kept. */
const largestDetail = 10_000;

/** A value as it is read back from JSON, if JSON can hold it in a few characters. */
function smallJson(value: unknown): unknown {
  if (!isJson(value) || isTooDeep(value)) return undefined;
  const json = JSON.stringify(value);
  return json.length <= largestDetail ? JSON.parse(json) : undefined;
}

/** Keeps a rejection from ending the process: a provider that has ended meanwhile may no longer listen. */
export function unheeded<T>(answer: Promise<T>): Promise<T> {
  answer.catch(() => {});
  return answer;
}
