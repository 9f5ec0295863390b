import type { Message, PlainObject } from '@loom/blocks';
import type { CallError, Provider, ProviderEvent } from '@loom/kernel';
import { pause } from '../pause.ts';
import type { Api, ApiDependencies } from './api.ts';
import { Attempt, stopped } from './attempt.ts';
import type { CallScope, Preparation } from './attempt.ts';
import { loadFiles } from './request/files.ts';
import { unsaid } from './request/left-out.ts';
import type { StreamReader } from './answer/from-stream.ts';
import { askForModels } from './model-lists.ts';
import { retryDelay } from './retry.ts';
import { SaidMessages } from './answer/said-messages.ts';

/** Creates a provider behind a model API: the part that all of them share. */
export function createApiProvider(given: Api, dependencies: ApiDependencies): Provider {
  const { id = given.id } = dependencies;
  const api: Api = {
    ...given,
    id,
    metadataName: given.metadataName ?? given.id,
    toRequest: (request, files, isPaused) => {
      const messages = renameData(request.messages, id, given.id);
      return given.toRequest({ ...request, messages }, files, isPaused);
    },
  };
  return {
    id,
    ...(api.takesPrefix === undefined ? {} : { takesPrefix: (model) => api.takesPrefix?.(model) ?? false }),
    offers: () => askForModels(api.models, { ...dependencies, id, keyless: api.keyless === true }),
    stream: (request, call) => speak({ api, dependencies, request, call }),
  };
}

/** Renames provider data: a provider with another name keeps its data under that name; the API knows its own. */
function renameData(messages: readonly Message[], from: string, to: string): readonly Message[] {
  if (from === to) return messages;
  const rename = <Block extends { provider?: PlainObject }>(block: Block): Block => {
    const own = block.provider?.[from];
    return own === undefined ? block : { ...block, provider: { [to]: own } };
  };
  return messages.map((message): Message => {
    switch (message.role) {
      case 'user':
        return { ...message, content: mapBlocks(message.content, rename) };
      case 'assistant':
        return { ...message, content: mapBlocks(message.content, rename) };
      case 'tool':
        return { ...message, content: message.content.map(rename) };
    }
  });
}

function mapBlocks<Block>([first, ...rest]: [Block, ...Block[]], change: (block: Block) => Block): [Block, ...Block[]] {
  return [change(first), ...rest.map(change)];
}

/** The most pauses of a provider in one call. */
const mostPauses = 10;

async function* speak(scope: CallScope): AsyncGenerator<ProviderEvent, void, void> {
  yield { type: 'call-start' };
  const missing = missingTools(scope);
  if (missing !== undefined) {
    yield { type: 'call-error', error: missing };
    return;
  }
  const said = new SaidMessages();
  let paused: StreamReader | undefined;
  for (let pauses = 0; pauses <= mostPauses; pauses += 1) {
    const preparation = await prepare(scope, said.messages);
    if ('code' in preparation) {
      yield { type: 'call-error', error: preparation };
      return;
    }
    const leftOut = unsaid(preparation.prepared.leftOut, scope.request);
    if (leftOut.length > 0 && pauses === 0) yield { type: 'note', data: { left_out: leftOut } };
    paused?.resume();
    paused = yield* request(scope, preparation, said, paused);
    if (paused === undefined) return;
  }
  yield* paused?.finishPaused() ?? [];
}

/** Refuses tools that the provider was to run itself and that the model has not: an answer without them would not be what was asked for. */
function missingTools({ api, request: { settings, model } }: CallScope): CallError | undefined {
  const wanted = settings['providerTools'];
  if (!Array.isArray(wanted) || wanted.length === 0 || api.hasProviderTools?.(model) === true) return undefined;
  const names = wanted.map(String).join(' and ');
  const message = `${model} of ${api.id} has no ${names}. Switch it off in the conversation (provider_tools), or choose another model.`;
  return { code: 'invalid-request', message };
}

/** Makes one request, as often as it takes. Returns the reader to continue with if the provider has paused. */
async function* request(
  scope: CallScope,
  preparation: Preparation,
  said: SaidMessages,
  paused: StreamReader | undefined,
): AsyncGenerator<ProviderEvent, StreamReader | undefined, void> {
  const { clock, random } = scope.dependencies;
  const { signal } = scope.call;
  let failed: Attempt | undefined;
  for (let attempt = 1; ; attempt += 1) {
    const current: Attempt = new Attempt(scope, preparation, { paused, failed });
    for await (const event of current.listen()) {
      said.add(event);
      yield event;
    }
    const { failure } = current;
    if (failure === undefined) return current.paused;
    const isFinal = paused !== undefined || signal.aborted;
    // The beginning of an answer before an overload is repeated once, not twice: a model that is cut off again has too much to say.
    const retraction = isFinal || failed !== undefined ? undefined : current.retraction;
    const isRepeatable = !isFinal && (!current.hasSpoken || retraction !== undefined);
    const asked = retraction === undefined ? failure : { ...failure, code: 'overloaded' as const };
    const delay = isRepeatable ? retryDelay(asked, attempt, random) : undefined;
    if (delay === undefined) {
      yield* current.fail(failure);
      return undefined;
    }
    if (retraction !== undefined) {
      failed = current;
      for (const event of retraction) {
        said.add(event);
        yield event;
      }
    }
    yield { type: 'retrying', attempt, delay_ms: delay, reason: failure.message };
    if (!(await pause(clock, delay, signal))) {
      yield { type: 'call-error', error: stopped };
      return undefined;
    }
  }
}

/** `said` holds the messages of the call before the provider paused. */
async function prepare(
  { api, dependencies, request: { messages, ...request }, call }: CallScope,
  said: readonly Message[],
): Promise<Preparation | CallError> {
  const { signal, blobs } = call;
  if (signal.aborted) return stopped;
  try {
    const key = await dependencies.key();
    if (key === undefined && api.keyless !== true) {
      const message = `There is no key for ${api.id}. Set one, or choose a model of another provider.`;
      return { code: 'auth', message };
    }
    const whole = [...messages, ...said];
    const prepared = api.toRequest({ ...request, messages: whole }, await loadFiles(whole, blobs), said.length > 0);
    return signal.aborted ? stopped : { prepared, key };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { code: 'invalid-request', message: `The request for ${api.id} could not be made: ${why}` };
  }
}
