import { EmptyResponseBodyError } from '@ai-sdk/provider';
import { fromBase64 } from '@loom/blocks';
import type { AssistantBlock, ToolBlock } from '@loom/blocks';
import type { CallError, ProviderCall, ProviderEvent, ProviderRequest } from '@loom/kernel';
import type { Api, ApiDependencies, ApiRequest, Timeouts } from './api.ts';
import {
  callError,
  cutError,
  emptyError,
  EndlessLineError,
  pageError,
  SilenceError,
  strangeError,
} from './errors/call-error.ts';
import { causes } from './errors/error-causes.ts';
import { MalformedAnswerError } from './errors/malformed-answer.ts';
import type { ErrorScope, StrangeAnswer } from './errors/call-error.ts';
import { StreamReader } from './answer/from-stream.ts';
import type { MadeFile } from './answer/from-stream.ts';
import { useEnvironmentProxy } from './wire/proxy.ts';
import { watchFetch } from './wire/watched-fetch.ts';

/** Models think for minutes, and most servers show that they are alive meanwhile. Node's own limit is five minutes. */
const usualTimeouts: Timeouts = { firstByte: 290_000, stall: 240_000 };

/** The number of characters that suffice to tell HTML from an event stream. */
const enoughToKnow = 100;

/** The inputs of a call. `api.id` is the provider's name here. */
export interface CallScope {
  api: Api;
  dependencies: ApiDependencies;
  request: ProviderRequest;
  call: ProviderCall;
}

/** The inputs of a request, prepared before its first attempt. */
export interface Preparation {
  prepared: ApiRequest;
  key: string | undefined;
}

export const stopped: CallError = { code: 'stopped', message: 'The answer was stopped before its end.' };

/** One attempt of a request, from its beginning to the end of its stream. */
export class Attempt {
  readonly #api: Api;
  readonly #dependencies: ApiDependencies;
  readonly #call: ProviderCall;
  readonly #preparation: Preparation;
  readonly #scope: ErrorScope;
  readonly #reader: StreamReader;
  #hasSpoken = false;
  /** The keys of the emitted blocks, in their order; `undefined` once an event was emitted that cannot be taken back. */
  #keys: string[] | undefined = [];
  #failure: CallError | undefined;
  /** The reason the answer broke off. */
  #broken: unknown;
  /** The status, the type and the first characters of the body: enough to tell HTML from an event stream. */
  readonly #answer: StrangeAnswer = { status: 0, type: '', beginning: '' };

  constructor(
    { api, dependencies, request, call }: CallScope,
    preparation: Preparation,
    { paused, failed }: { paused?: StreamReader | undefined; failed?: Attempt | undefined } = {},
  ) {
    this.#api = api;
    this.#dependencies = dependencies;
    this.#call = call;
    this.#preparation = preparation;
    const { key, prepared } = preparation;
    const secrets = [...(key === undefined ? [] : [key]), ...(dependencies.secrets ?? [])];
    this.#scope = { provider: api.id, model: request.model, secrets };
    this.#reader = paused ?? new StreamReader(api, request, prepared.toolName);
    if (failed !== undefined) this.#reader.beginAfter(failed.#reader);
  }

  /** True once the model has said something: then it is not asked again. */
  get hasSpoken(): boolean {
    return this.#hasSpoken;
  }

  /** The events that take back an answer that failed in the middle, if another attempt may do better and nothing in it stays. */
  get retraction(): ProviderEvent[] | undefined {
    const end = this.#reader.end;
    const isMalformed = end?.ok === false && end.error instanceof MalformedAnswerError;
    if (this.#failure === undefined || (this.#failure.code !== 'overloaded' && !isMalformed)) return undefined;
    return this.#keys?.toReversed().map((key) => ({ type: 'retract', key }));
  }

  /** The reader to continue with, if the provider has only paused. */
  get paused(): StreamReader | undefined {
    return this.#reader.end?.ok === true && this.#reader.end.isPaused === true ? this.#reader : undefined;
  }

  /** The reason the attempt failed, if it has. */
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
      this.#failure = this.#failureOf(error);
    } finally {
      // The stream is over, the reader has left or an error came: the connection is no longer needed.
      leave.abort();
    }
  }

  /** Returns the events of an attempt that failed and is not repeated. */
  *fail(error: CallError): Generator<ProviderEvent, void, void> {
    if (this.#hasSpoken) yield* this.#reader.close();
    const { usage } = this.#reader;
    if (usage !== undefined) yield { type: 'usage', usage };
    yield { type: 'call-error', error };
  }

  async #open(signal: AbortSignal): ReturnType<typeof streamOf> {
    const { clock, fetch = globalThis.fetch, timeouts = usualTimeouts, baseURL } = this.#dependencies;
    useEnvironmentProxy(process.env);
    const { prepared, key } = this.#preparation;
    const { secrets, model: name } = this.#scope;
    const watched = watchFetch({
      fetch,
      clock,
      timeouts,
      record: (part, bytes) => this.#call.record(part, bytes),
      secrets,
      exact: prepared.exact,
      onHead: ({ status, headers }) => {
        this.#answer.status = status;
        this.#answer.type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
      },
      onBytes: (bytes) => this.#listenIn(bytes),
      onBroken: (error) => (this.#broken = error),
    });
    const model = await this.#api.model(name, { fetch: watched, key, baseURL });
    return streamOf(model, { ...prepared.options, includeRawChunks: true, abortSignal: signal });
  }

  #endOfStream(): CallError | undefined {
    const { end } = this.#reader;
    if (end?.ok === true) return undefined;
    if (this.#call.signal.aborted) return stopped;
    if (this.#broken instanceof SilenceError || this.#broken instanceof EndlessLineError) {
      return callError(this.#broken, this.#scope);
    }
    const strange = this.#hasSpoken ? undefined : this.#strangeness();
    if (strange !== undefined) return strange;
    return end?.error === undefined ? cutError(this.#scope) : callError(end.error, this.#scope);
  }

  /** Returns the error of an answer without any readable event. */
  #strangeness(): CallError | undefined {
    const { type, beginning } = this.#answer;
    if (type === 'text/html') return pageError(this.#scope);
    if (beginning.trim() === '') return this.#broken === undefined ? emptyError(this.#answer, this.#scope) : undefined;
    const isStream = type === 'text/event-stream' || /^\s*(?:data|event|id|retry)?:/.test(beginning);
    return isStream ? undefined : strangeError(this.#answer, this.#scope);
  }

  #listenIn(bytes: Uint8Array): void {
    if (this.#answer.beginning.length >= enoughToKnow) return;
    this.#answer.beginning += Buffer.from(bytes.subarray(0, enoughToKnow)).toString();
  }

  #failureOf(error: unknown): CallError {
    if (this.#call.signal.aborted) return stopped;
    return causes(error).some((cause) => EmptyResponseBodyError.isInstance(cause))
      ? emptyError(this.#answer, this.#scope)
      : callError(error, this.#scope);
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
    // A call that the provider has run has happened, and a block without a key has no name to retract it by.
    if (event.type === 'block' || (event.type === 'block-start' && isExecuted(event.block))) this.#keys = undefined;
    else if (event.type === 'block-start') this.#keys?.push(event.key);
    return event;
  }
}

function isExecuted(block: AssistantBlock | ToolBlock): boolean {
  return block.type === 'tool-use' && block.executed !== undefined;
}

function readBase64(text: string): Uint8Array | undefined {
  try {
    return fromBase64(text);
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
