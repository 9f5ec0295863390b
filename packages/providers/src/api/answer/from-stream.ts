import { cleanText, isBlank, isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { EventWriter } from '@loom/kernel';
import type { FinishReason, ProviderEvent, ProviderRequest, Usage } from '@loom/kernel';
import { JSONParseError, TypeValidationError } from '@ai-sdk/provider';
import type { LanguageModelV4File, LanguageModelV4FinishReason, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { Api, RawReader, StreamPart } from '../api.ts';
import { RefusalError, TooManyCallsError } from '../errors/call-error.ts';
import { isMalformed, MalformedAnswerError } from '../errors/malformed-answer.ts';
import { isKeepable } from '../request/json.ts';
import { ignoredSetting, unsaid } from '../request/left-out.ts';
import { SourceList } from './source-list.ts';
import { addUsage, isReported, readUsage } from './usage.ts';

/** The most calls in one answer: a model that makes more repeats itself, and OpenAI does not take more tools than that either. */
const mostCalls = 128;

/** A file that the model has made: its bytes must be stored before the block can be emitted. */
export interface MadeFile {
  type: 'made-file';
  mediaType: string;
  data: LanguageModelV4File['data'];
  provider: PlainObject | undefined;
}

/** The end of a stream. */
export type StreamEnd = { ok: true; isPaused?: true } | { ok: false; error?: unknown };

/** The state of a block that the SDK has begun. */
interface Begun {
  key: string;
  /** The part received so far of the data that its provider wants back with it. */
  metadata: PlainObject | undefined;
}

type PartOf<Type extends StreamPart['type']> = Extract<StreamPart, { type: Type }>;

/**
 * Turns the parts of one SDK stream into events. It does no I/O and has no clock, so that a recorded stream is a complete test: the same parts give
 * the same events. A wire event that the SDK does not know is kept as a `raw` block and ends nothing.
 */
export class StreamReader {
  readonly #api: Pick<Api, 'id' | 'metadataName' | 'describeResult' | 'isPause'>;
  readonly #toolName: (name: string) => string;
  readonly #readRaw: RawReader | undefined;
  readonly #writer = new EventWriter();
  readonly #sources = new SourceList();
  readonly #texts = new Map<string, Begun>();
  readonly #thoughts = new Map<string, Begun>();
  readonly #calls = new Map<string, Begun>();
  /** The ids of emitted calls, with true for those that the provider runs. */
  readonly #told = new Map<string, boolean>();
  /** The calls that the provider has run and answered: a second answer does not count. */
  readonly #answered = new Set<string>();
  #blocks = 0;
  /** The number of calls for Loom to run. */
  #toRun = 0;
  /** The wire event that the SDK's next parts come from. */
  #raw: unknown;
  /** True if the SDK's parts of that event are to be dropped. */
  #isReplaced = false;
  #hasSpoken = false;
  /** The provider's data about the sources, beside their addresses. */
  #sourceData: PlainObject | undefined;
  #usage: Usage | undefined;
  /** The usage of the answer before the provider paused. */
  #spent: Usage | undefined;
  #end: StreamEnd | undefined;
  /** The settings that the SDK says this model does not take. */
  #settings: readonly string[] = [];
  readonly #request: ProviderRequest;

  constructor(
    api: Pick<Api, 'id' | 'metadataName' | 'describeResult' | 'isPause' | 'rawReader'>,
    request: ProviderRequest,
    toolName: (name: string) => string = (name) => name,
  ) {
    this.#api = api;
    this.#request = request;
    this.#toolName = toolName;
    this.#readRaw = api.rawReader?.(request);
  }

  /** The end of the stream, once it has come. */
  get end(): StreamEnd | undefined {
    return this.#end;
  }

  /** The usage of the call as reported so far. */
  get usage(): Usage | undefined {
    return this.#usage === undefined ? this.#spent : addUsage(this.#spent, this.#usage);
  }

  take(part: LanguageModelV4StreamPart): (ProviderEvent | MadeFile)[] {
    if (this.#end !== undefined) return [];
    const isWanted = !this.#isReplaced || part.type === 'finish';
    const events = part.type === 'raw' ? this.#takeRaw(part.rawValue) : isWanted ? this.#take(part) : [];
    this.#hasSpoken ||= events.some(({ type }) => type !== 'usage' && type !== 'note');
    return events;
  }

  /** Prepares for the next stream after the provider paused. */
  resume(): void {
    this.#end = undefined;
    this.#isReplaced = false;
    this.#spent = this.usage;
    this.#usage = undefined;
  }

  /** Starts an answer over after another reader emitted the beginning of one: keys are used once, and the cost of that one counts. */
  beginAfter(failed: StreamReader): void {
    this.#blocks = failed.#blocks;
    this.#spent = failed.usage;
  }

  /** Ends an answer that the provider paused and is not asked to continue. */
  finishPaused(): ProviderEvent[] {
    return [...this.close(), ...this.#writer.finish('other', this.usage)];
  }

  /** Returns the event of a stored file. */
  tellFile({ mediaType, provider }: MadeFile, where: { blob: string } | { url: string }): ProviderEvent {
    const type = /^[^\s/\0]+\/[^\s/\0]+$/.test(mediaType) ? cleanText(mediaType) : 'application/octet-stream';
    return this.#writer.whole({ type: 'image', media_type: type, ...where, ...this.#provided(provider) });
  }

  /** Returns the event of a file without bytes that could be stored. */
  tellUnreadable({ mediaType, data }: MadeFile): ProviderEvent {
    return this.#keepRaw({ mediaType, data });
  }

  /** Returns the last events of a call that was cut or stopped: the pages that the answer cites are known though it is not complete. */
  close(): ProviderEvent[] {
    const { block } = this.#sources;
    return block === undefined ? [] : [this.#writer.whole({ ...block, ...this.#provided(this.#sourceData) })];
  }

  #takeRaw(event: unknown): (ProviderEvent | MadeFile)[] {
    this.#raw = event;
    const parts = this.#readRaw?.(event);
    this.#isReplaced = parts !== undefined;
    return parts === undefined ? [] : parts.flatMap((part) => this.#take(part));
  }

  #take(part: StreamPart): (ProviderEvent | MadeFile)[] {
    switch (part.type) {
      case 'text-delta':
        return this.#takeText(part);
      case 'reasoning-delta':
        return this.#takeThinking(part);
      case 'tool-input-delta':
        return this.#growCall(part);
      case 'text-start':
        this.#texts.set(part.id, this.#begin('text', part));
        return [];
      case 'reasoning-start':
        this.#thoughts.set(part.id, this.#begin('thinking', part));
        return [];
      case 'tool-input-start':
        return this.#beginCall(part);
      case 'text-end':
        for (const { source } of part.citations ?? []) this.#addSource(source);
        return this.#endBlock(this.#texts, part);
      case 'reasoning-end':
        return this.#endThinking(part);
      case 'tool-call':
        return this.#endCall(part);
      case 'tool-result':
        return this.#takeResult(part);
      case 'source':
        this.#addSource(part);
        return [];
      case 'file':
      case 'reasoning-file':
        return [{ type: 'made-file', mediaType: part.mediaType, data: part.data, provider: this.#metadataOf(part) }];
      case 'source-data':
        this.#sourceData = { ...this.#sourceData, ...part.data };
        return [];
      case 'usage':
        return this.#takeUsage(part);
      case 'note':
        return [part];
      case 'finish':
        return this.#finish(part);
      case 'error':
        return this.#takeError(part.error);
      case 'custom':
      case 'tool-approval-request':
        return [this.#keepRaw(part)];
      case 'stream-start':
        this.#settings = part.warnings.flatMap((warning) => (warning.type === 'unsupported' ? [warning.feature] : []));
        return [];
      case 'response-metadata':
      case 'tool-input-end':
      case 'ping':
        return [];
      // The SDK's raw parts are handled before; a reader has made this one of an event that it does not know.
      case 'raw':
        return [this.#keepRaw(part.rawValue)];
    }
  }

  #begin(kind: string, part: { providerMetadata?: PlainObject }): Begun {
    this.#blocks += 1;
    return { key: `${kind}-${this.#blocks}`, metadata: this.#metadataOf(part) };
  }

  #takeText(part: PartOf<'text-delta'>): ProviderEvent[] {
    const { id, delta } = part;
    let begun = this.#texts.get(id);
    if (begun === undefined) this.#texts.set(id, (begun = this.#begin('text', {})));
    this.#addMetadata(begun, part);
    return delta === '' ? [] : this.#writer.text(begun.key, delta);
  }

  #takeThinking(part: PartOf<'reasoning-delta'>): ProviderEvent[] {
    const { id, delta } = part;
    let begun = this.#thoughts.get(id);
    if (begun === undefined) this.#thoughts.set(id, (begun = this.#begin('thinking', {})));
    this.#addMetadata(begun, part);
    return delta === '' ? [] : this.#writer.thinking(begun.key, delta);
  }

  /** A thought may have no readable text, only a form for its provider. */
  #endThinking(part: PartOf<'reasoning-end'>): ProviderEvent[] {
    const begun = this.#thoughts.get(part.id);
    if (begun === undefined) return [];
    this.#addMetadata(begun, part);
    const opened = begun.metadata === undefined ? [] : this.#writer.thinking(begun.key, '');
    return [...opened, ...this.#endBlock(this.#thoughts, { id: part.id })];
  }

  #endBlock(blocks: Map<string, Begun>, part: { id: string; providerMetadata?: PlainObject }): ProviderEvent[] {
    const begun = blocks.get(part.id);
    if (begun === undefined) return [];
    blocks.delete(part.id);
    this.#addMetadata(begun, part);
    return this.#writer.end(begun.key, this.#provided(begun.metadata).provider);
  }

  #beginCall(part: PartOf<'tool-input-start'>): ProviderEvent[] {
    const { id, toolName, providerExecuted = false } = part;
    if (this.#told.has(id)) return [];
    if (!providerExecuted && (this.#toRun += 1) > mostCalls) {
      this.#end = { ok: false, error: new TooManyCallsError(mostCalls) };
      return [];
    }
    const begun = this.#begin('call', part);
    this.#calls.set(id, begun);
    this.#told.set(id, providerExecuted);
    return this.#writer.call(begun.key, callOf(id, this.#toolName(toolName), providerExecuted), '');
  }

  #growCall({ id, delta }: PartOf<'tool-input-delta'>): ProviderEvent[] {
    const begun = this.#calls.get(id);
    return begun === undefined || delta === '' ? [] : this.#writer.grow(begun.key, delta);
  }

  #endCall(part: PartOf<'tool-call'>): ProviderEvent[] {
    const { toolCallId: id, toolName, input, providerExecuted = false } = part;
    const opened = this.#calls.has(id)
      ? []
      : this.#beginCall({ type: 'tool-input-start', id, toolName, providerExecuted });
    const begun = this.#calls.get(id);
    if (begun === undefined) return [];
    this.#calls.delete(id);
    this.#addMetadata(begun, part);
    // Arguments that were not streamed come with the call.
    const given = this.#writer.hasGrown(begun.key) ? [] : this.#writer.grow(begun.key, input === '' ? '{}' : input);
    return [...opened, ...given, ...this.#writer.end(begun.key, this.#provided(begun.metadata).provider)];
  }

  #takeResult(part: PartOf<'tool-result'>): ProviderEvent[] {
    const { toolCallId, toolName: name, result, isError = false, preliminary } = part;
    if (preliminary === true) return [];
    if (this.#told.get(toolCallId) !== true || this.#answered.has(toolCallId) || !isKeepable(result))
      return [this.#keepRaw(part)];
    this.#answered.add(toolCallId);
    const provider: PlainObject = { ...this.#metadataOf(part), result };
    const described = this.#api.describeResult?.({ name, result, provider });
    const text = cleanText(described ?? (typeof result === 'string' ? result : JSON.stringify(result)));
    const block = { type: 'text' as const, text, ...this.#provided(provider) };
    return [
      ...this.#writer.end(this.#calls.get(toolCallId)?.key ?? ''),
      this.#writer.result(wordOf(toolCallId, 'call'), block, isError),
    ];
  }

  /** Emits the first report at once: a turn that is stopped does not wait for the last one. */
  #takeUsage(part: PartOf<'usage'>): ProviderEvent[] {
    const isFirst = this.usage === undefined;
    this.#keepUsage(part.usage);
    return isFirst ? [part] : [];
  }

  /** Output once counted stays counted, whatever a server reports later. */
  #keepUsage(usage: Usage): void {
    const output = Math.max(usage.output_tokens, this.#usage?.output_tokens ?? 0);
    this.#usage = { ...this.#usage, ...usage, output_tokens: output };
  }

  #addSource(source: PartOf<'source'>): void {
    const title = source.title === undefined ? undefined : cleanText(source.title);
    this.#sources.add(source.sourceType === 'url' ? cleanText(source.url) : '', title);
  }

  #finish({ finishReason, usage }: PartOf<'finish'>): ProviderEvent[] {
    if (isReported(usage)) this.#keepUsage(readUsage(usage));
    if (this.#api.isPause?.(finishReason.raw ?? '') === true) {
      this.#end = { ok: true, isPaused: true };
      return [];
    }
    const reason = reasonOf(finishReason);
    const error = endError(finishReason, this.#hasSpoken);
    if (reason === undefined || error !== undefined) {
      this.#end = { ok: false, error };
      return [];
    }
    this.#end = { ok: true };
    return [...this.#tellSettings(), ...this.close(), ...this.#writer.finish(reason, this.usage)];
  }

  /** Names the settings that this model does not take and the SDK has left out, once in a conversation. */
  #tellSettings(): ProviderEvent[] {
    const leftOut = unsaid(
      this.#settings.map((name) => ignoredSetting(this.#request.model, name)),
      this.#request,
    );
    return leftOut.length === 0 ? [] : [{ type: 'note', data: { left_out: leftOut } }];
  }

  /** Keeps an event that the SDK cannot read; an error that the provider reports ends the call. */
  #takeError(error: unknown): ProviderEvent[] {
    if (isUnknownEvent(error)) return [this.#keepRaw(this.#raw === undefined ? Reflect.get(error, 'text') : this.#raw)];
    this.#end = { ok: false, error };
    return [];
  }

  #keepRaw(value: unknown): ProviderEvent {
    const kept = isKeepable(value) ? value : '(something that is nested too deep to be kept)';
    return this.#writer.whole({ type: 'raw', source: this.#api.id, value: kept });
  }

  #metadataOf({ providerMetadata }: { providerMetadata?: PlainObject }): PlainObject | undefined {
    const own = providerMetadata?.[this.#api.metadataName ?? this.#api.id];
    return isPlainObject(own) && isKeepable(own) ? withoutNothing(own) : undefined;
  }

  #addMetadata(begun: Begun, part: { providerMetadata?: PlainObject }): void {
    if (part.providerMetadata === undefined) return;
    const more = this.#metadataOf(part);
    if (more !== undefined) begun.metadata = { ...begun.metadata, ...more };
  }

  #provided(own: PlainObject | undefined): { provider?: PlainObject } {
    return own === undefined ? {} : { provider: { [this.#api.id]: own } };
  }
}

function callOf(id: string, name: string, isExecuted: boolean): Parameters<EventWriter['call']>[1] {
  const call = { id: wordOf(id, 'call'), name: wordOf(name, 'unnamed') };
  return isExecuted ? { ...call, executed: 'provider' } : call;
}

/** Returns a name or id in a form that a block can hold. */
function wordOf(word: string, otherwise: string): string {
  const clean = cleanText(word);
  return isBlank(clean) ? otherwise : clean;
}

function reasonOf({ unified }: LanguageModelV4FinishReason): FinishReason | undefined {
  switch (unified) {
    case 'stop':
    case 'length':
    case 'other':
      return unified;
    case 'tool-calls':
      return 'tool-use';
    case 'content-filter':
      return 'refusal';
    case 'error':
    case 'interrupted':
      return undefined;
  }
}

/** Returns the error of a bad end: the provider names it, or it refuses without a word. */
function endError({ unified, raw = '' }: LanguageModelV4FinishReason, hasSpoken: boolean): Error | undefined {
  if (unified === 'content-filter' && !hasSpoken) return new RefusalError(raw);
  if (isMalformed(raw)) return new MalformedAnswerError(raw);
  return unified === 'error' && raw !== '' ? new Error(`it ended with ${raw}`) : undefined;
}

function isUnknownEvent(error: unknown): error is TypeValidationError | JSONParseError {
  return TypeValidationError.isInstance(error) || JSONParseError.isInstance(error);
}

/** Returns the object without empty values; `undefined` if none is left. */
function withoutNothing(object: PlainObject): PlainObject | undefined {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined && value !== null);
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
