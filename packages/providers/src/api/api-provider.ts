import type { CallError, Provider, ProviderCall, ProviderEvent, ProviderRequest } from '@loom/kernel';
import { pause } from '../pause.ts';
import type { Api, ApiDependencies, ApiRequest, Timeouts } from './api.ts';
import { callError, cutError, SilenceError } from './call-error.ts';
import type { ErrorScope } from './call-error.ts';
import { StreamReader } from './from-stream.ts';
import type { MadeFile } from './from-stream.ts';
import { loadFiles } from './files.ts';
import { retryDelay } from './retry.ts';
import { watchFetch } from './watched-fetch.ts';

/** Models think for minutes, and most servers show that they are alive meanwhile. Node's own limit is five minutes. */
const usualTimeouts: Timeouts = { firstByte: 290_000, stall: 240_000 };

/** A provider behind a model API: what all of them have in common. */
export function createApiProvider(api: Api, dependencies: ApiDependencies): Provider {
  const takesPrefix = api.takesPrefix?.bind(api);
  return {
    id: api.id,
    ...(takesPrefix === undefined ? {} : { takesPrefix }),
    stream: (request, call) => speak(api, dependencies, request, call),
  };
}

/** What one call needs, found out before its first attempt. */
interface Preparation {
  prepared: ApiRequest;
  key: string | undefined;
}

async function* speak(
  api: Api,
  dependencies: ApiDependencies,
  request: ProviderRequest,
  call: ProviderCall,
): AsyncGenerator<ProviderEvent, void, void> {
  yield { type: 'call-start' };
  const preparation = await prepare(api, dependencies, request, call);
  if ('code' in preparation) {
    yield { type: 'call-error', error: preparation };
    return;
  }
  const { leftOut } = preparation.prepared;
  if (leftOut.length > 0) yield { type: 'note', data: { left_out: leftOut } };
  for (let attempt = 1; ; attempt += 1) {
    const conversation = new Attempt(api, dependencies, request, call, preparation);
    yield* conversation.listen();
    const { failure } = conversation;
    if (failure === undefined) return;
    const delay = conversation.hasSpoken ? undefined : retryDelay(failure, attempt, dependencies.random);
    if (delay === undefined || call.signal.aborted) {
      yield* conversation.fail(failure);
      return;
    }
    yield { type: 'retrying', attempt, delay_ms: delay, reason: failure.message };
    if (!(await pause(dependencies.clock, delay, call.signal))) {
      yield { type: 'call-error', error: stopped };
      return;
    }
  }
}

const stopped: CallError = { code: 'stopped', message: 'The answer was stopped before its end.' };

async function prepare(
  api: Api,
  { key: findKey }: ApiDependencies,
  request: ProviderRequest,
  { blobs, signal }: ProviderCall,
): Promise<Preparation | CallError> {
  if (signal.aborted) return stopped;
  try {
    const key = await findKey();
    if (key === undefined && api.keyless !== true) {
      return {
        code: 'auth',
        message: `There is no key for ${api.id}. Set one, or choose a model of another provider.`,
      };
    }
    const prepared = api.toRequest(request, await loadFiles(request.messages, blobs));
    return signal.aborted ? stopped : { prepared, key };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { code: 'invalid-request', message: `The request for ${api.id} could not be made: ${why}` };
  }
}

/** One attempt of a call, from its request to the end of its stream. */
class Attempt {
  readonly #api: Api;
  readonly #dependencies: ApiDependencies;
  readonly #call: ProviderCall;
  readonly #preparation: Preparation;
  readonly #scope: ErrorScope;
  readonly #reader: StreamReader;
  #hasSpoken = false;
  #failure: CallError | undefined;
  /** Why the answer has broken off. */
  #broken: unknown;

  constructor(
    api: Api,
    dependencies: ApiDependencies,
    request: ProviderRequest,
    call: ProviderCall,
    preparation: Preparation,
  ) {
    this.#api = api;
    this.#dependencies = dependencies;
    this.#call = call;
    this.#preparation = preparation;
    const { key } = preparation;
    this.#scope = { provider: api.id, model: request.model, secrets: key === undefined ? [] : [key] };
    this.#reader = new StreamReader(api, request, preparation.prepared.toolName);
  }

  /** Whether the model has said something: then it is not asked again. */
  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  /** Why the attempt failed, if it has. */
  get failure(): CallError | undefined {
    return this.#failure;
  }

  async *listen(): AsyncGenerator<ProviderEvent, void, void> {
    const leave = new AbortController();
    const signal = AbortSignal.any([leave.signal, this.#call.signal]);
    try {
      const stream = await this.#open(signal);
      for await (const part of stream) {
        if (this.#call.signal.aborted) break;
        for (const output of this.#reader.take(part)) {
          yield output.type === 'made-file' ? await this.#keepFile(output) : this.#note(output);
        }
        if (this.#reader.end !== undefined) break;
      }
      this.#failure = this.#endOfStream();
    } catch (error) {
      this.#failure = this.#call.signal.aborted ? stopped : callError(error, this.#scope);
    } finally {
      // Whether the stream is over, the reader has left or something is wrong: the connection is not needed any more.
      leave.abort();
    }
  }

  /** What is told of an attempt that failed and is not repeated. */
  *fail(error: CallError): Generator<ProviderEvent, void, void> {
    if (this.#hasSpoken) yield* this.#reader.close();
    const { usage } = this.#reader;
    if (usage !== undefined) yield { type: 'usage', usage };
    yield { type: 'call-error', error };
  }

  async #open(signal: AbortSignal): ReturnType<typeof streamOf> {
    const { clock, fetch = globalThis.fetch, timeouts = usualTimeouts, baseURL } = this.#dependencies;
    const { prepared, key } = this.#preparation;
    const { secrets, model: name } = this.#scope;
    const watched = watchFetch({
      fetch,
      clock,
      timeouts,
      record: (part, bytes) => this.#call.record(part, bytes),
      secrets,
      exact: prepared.exact,
      onBroken: (error) => (this.#broken = error),
    });
    const model = await this.#api.model(name, { fetch: watched, key, baseURL });
    return streamOf(model, { ...prepared.options, includeRawChunks: true, abortSignal: signal });
  }

  #endOfStream(): CallError | undefined {
    const { end } = this.#reader;
    if (end?.ok === true) return undefined;
    if (this.#call.signal.aborted) return stopped;
    if (this.#broken instanceof SilenceError) return callError(this.#broken, this.#scope);
    return end?.error === undefined ? cutError(this.#scope) : callError(end.error, this.#scope);
  }

  async #keepFile(file: MadeFile): Promise<ProviderEvent> {
    const { data } = file;
    if (data.type === 'url') return this.#note(this.#reader.tellFile(file, { url: String(data.url) }));
    const bytes = typeof data.data === 'string' ? readBase64(data.data) : data.data;
    if (bytes === undefined) return this.#note(this.#reader.tellUnreadable(file));
    return this.#note(this.#reader.tellFile(file, { blob: await this.#call.blobs.put(bytes) }));
  }

  #note(event: ProviderEvent): ProviderEvent {
    if (event.type === 'block-start' || event.type === 'block') this.#hasSpoken = true;
    return event;
  }
}

function readBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.fromBase64(text);
  } catch {
    return undefined;
  }
}

async function streamOf(
  model: Awaited<ReturnType<Api['model']>>,
  options: Parameters<typeof model.doStream>[0],
): Promise<Awaited<ReturnType<typeof model.doStream>>['stream']> {
  return (await model.doStream(options)).stream;
}
