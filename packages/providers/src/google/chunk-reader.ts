import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { ProviderRequest } from '@loom/kernel';
import type { SharedV4ProviderMetadata } from '@ai-sdk/provider';
import type { StreamPart } from '../api/api.ts';
import { count } from '../api/answer/usage.ts';
import { AnswerIds } from './answer-ids.ts';
import { readGroundingSources, readUrlSources, saysAnything } from './grounding.ts';
import type { GroundingSource } from './grounding.ts';
import { isJsonObject } from './json-object.ts';
import { isMalformed } from '../api/errors/malformed-answer.ts';
import { unsigned } from './signatures.ts';
import { PartialArguments } from './partial-arguments.ts';

interface OpenBlock {
  type: 'text' | 'reasoning';
  id: string;
}

interface GrowingCall {
  id: string;
  name: string;
  given: PlainObject;
  arguments: PartialArguments;
}

/** The known keys of a chunk; anything else is kept whole. */
const chunkKeys = new Set([
  'candidates',
  'promptFeedback',
  'usageMetadata',
  'modelVersion',
  'responseId',
  'createTime',
  'modelStatus',
]);

/**
 * Reads the chunks of one answer (https://ai.google.dev/api/generate-content#GenerateContentResponse). The SDK gives calls random ids, takes the
 * signature off code that was run, moves signatures between parts, and drops parts that it does not know; so its parts are used only for the end of
 * the answer.
 */
export class ChunkReader {
  readonly #ids: AnswerIds;
  readonly #model: string;
  #open: OpenBlock | undefined;
  #output = 0;
  #hasSources = false;
  #blocks = 0;
  #growing: GrowingCall | undefined;
  #running: { id: string; name: string } | undefined;

  constructor(request: ProviderRequest) {
    this.#ids = new AnswerIds(request);
    this.#model = request.model;
  }

  /** Returns the parts of one chunk, or `undefined` if it is not one: an error, or something unknown. */
  read(chunk: unknown): StreamPart[] | undefined {
    if (!isPlainObject(chunk) || isPlainObject(chunk['error'])) return undefined;
    const { candidates, usageMetadata } = chunk;
    const parts = Array.isArray(candidates) ? candidates.flatMap((candidate) => this.#readCandidate(candidate)) : [];
    const isKnown =
      (Array.isArray(candidates) || candidates === undefined) && Object.keys(chunk).every((key) => chunkKeys.has(key));
    return [...(isKnown ? [] : [...this.#close(), raw(chunk)]), ...parts, ...this.#readUsage(usageMetadata)];
  }

  /** Emitted with every chunk, so that it is known if the answer is stopped in the middle. */
  #readUsage(metadata: unknown): StreamPart[] {
    if (!isPlainObject(metadata)) return [];
    const input = count(metadata['promptTokenCount']) + count(metadata['toolUsePromptTokenCount']);
    const thoughts = count(metadata['thoughtsTokenCount']);
    const output = count(metadata['candidatesTokenCount']) + thoughts;
    const cached = count(metadata['cachedContentTokenCount']);
    if (output <= this.#output) return [];
    this.#output = output;
    const usage = {
      input_tokens: input,
      output_tokens: output,
      ...(cached === 0 ? {} : { cached_input_tokens: cached }),
      ...(thoughts === 0 ? {} : { reasoning_tokens: thoughts }),
      raw: metadata,
    };
    return [{ type: 'usage', usage }];
  }

  #readCandidate(candidate: unknown): StreamPart[] {
    if (!isPlainObject(candidate)) return [raw(candidate)];
    const { content, groundingMetadata, urlContextMetadata } = candidate;
    const parts = isPlainObject(content) && Array.isArray(content['parts']) ? content['parts'] : [];
    return [
      ...parts.flatMap((part) => this.#readPart(part)),
      ...(isPlainObject(content) || content === undefined || content === null ? [] : [raw({ content })]),
      ...this.#tellSources(groundingMetadata, readGroundingSources(groundingMetadata), 'groundingMetadata'),
      ...this.#tellSources(urlContextMetadata, readUrlSources(urlContextMetadata), 'urlContextMetadata'),
      ...(typeof candidate['finishReason'] === 'string' ? this.#finishCall() : []),
      ...this.#readFinishMessage(candidate),
    ];
  }

  #readPart(part: unknown): StreamPart[] {
    if (!isPlainObject(part)) return [raw(part)];
    const { text, functionCall, inlineData, executableCode, codeExecutionResult, toolCall, toolResponse } = part;
    if (typeof text === 'string') return this.#readText(text, part);
    if (isPlainObject(functionCall)) return this.#readCall(functionCall, part);
    if (isPlainObject(inlineData)) return this.#readFile(inlineData, part);
    if (isPlainObject(executableCode)) return this.#readOwnCall('code_execution', executableCode, executableCode, part);
    if (isPlainObject(codeExecutionResult))
      return this.#readOwnResult('codeExecutionResult', codeExecutionResult, part);
    if (isPlainObject(toolCall)) return this.#readServerCall(toolCall, part);
    if (isPlainObject(toolResponse)) return this.#readOwnResult('toolResponse', toolResponse, part);
    return [...this.#close(), raw(part)];
  }

  /** A signature belongs to the part that it stands on; the text after it is a new block. */
  #readText(text: string, part: PlainObject): StreamPart[] {
    const type = part['thought'] === true ? 'reasoning' : 'text';
    const isSigned = typeof part['thoughtSignature'] === 'string';
    if (text === '' && !isSigned) return [];
    if (text === '') return [...this.#close(), ...this.#keepSignature(part)];
    const goesOn = this.#open?.type === type;
    const before = goesOn ? [] : this.#close();
    const open = (this.#open ??= { type, id: `${this.#blocks++}` });
    const { id } = open;
    return [
      ...before,
      ...(goesOn ? [] : [{ type: `${open.type}-start` as const, id }]),
      { type: `${open.type}-delta` as const, id, delta: text },
      ...(isSigned ? this.#close(part) : []),
    ];
  }

  /**
   * A signature on an empty part belongs to no text: it goes back in the same place, as a separate part. It is kept as a thought without text, which
   * is not sent once something before it has changed.
   */
  #keepSignature(part: PlainObject): StreamPart[] {
    const id = `${this.#blocks++}`;
    return [
      { type: 'reasoning-start', id },
      { type: 'reasoning-end', id, ...this.#metadata({ part }) },
    ];
  }

  #readFile({ mimeType, data }: PlainObject, part: PlainObject): StreamPart[] {
    if (typeof mimeType !== 'string' || typeof data !== 'string') return [...this.#close(), raw(part)];
    const type = part['thought'] === true ? 'reasoning-file' : 'file';
    const file = { type, mediaType: mimeType, data: { type: 'data', data } } as const;
    return [...this.#close(), { ...file, ...this.#signature(part) }];
  }

  #readCall(call: PlainObject, part: PlainObject): StreamPart[] {
    const { name, args, partialArgs, willContinue } = call;
    if (typeof name === 'string' && name.trim() !== '') {
      const before = [...this.#close(), ...this.#finishCall()];
      const isGrowing = Array.isArray(partialArgs) || willContinue === true;
      const id = this.#ids.next(call['id']);
      if (!isGrowing) return [...before, ...this.#tellCall(id, name, args ?? {}, part)];
      this.#growing = { id, name, given: part, arguments: new PartialArguments() };
      return [...before, ...this.#grow(call, part)];
    }
    return this.#growing === undefined ? [...this.#close(), raw(part)] : this.#grow(call, part);
  }

  /** Takes more of a call whose arguments come in pieces; the call is over once a piece does not announce another. */
  #grow({ partialArgs, willContinue }: PlainObject, part: PlainObject): StreamPart[] {
    const pieces: unknown[] = Array.isArray(partialArgs) ? partialArgs : [];
    const lost = pieces.filter((piece) => this.#growing?.arguments.take(piece) !== true);
    const goesOn =
      willContinue === true || pieces.some((piece) => isPlainObject(piece) && piece['willContinue'] === true);
    return [...(lost.length === 0 ? [] : [raw(part)]), ...(goesOn ? [] : this.#finishCall())];
  }

  #finishCall(): StreamPart[] {
    const call = this.#growing;
    if (call === undefined) return [];
    this.#growing = undefined;
    return [...this.#close(), ...this.#tellCall(call.id, call.name, call.arguments.value, call.given)];
  }

  #tellCall(toolCallId: string, toolName: string, args: unknown, part: PlainObject): StreamPart[] {
    const input = typeof args === 'string' ? args : JSON.stringify(args);
    return [{ type: 'tool-call', toolCallId, toolName, input, ...this.#signature(part) }];
  }

  #readServerCall(call: PlainObject, part: PlainObject): StreamPart[] {
    const { toolType } = call;
    const name = typeof toolType === 'string' && toolType.trim() !== '' ? toolType.toLowerCase() : 'tool';
    return this.#readOwnCall(name, call, call['args'] ?? {}, part);
  }

  /** Reads a call that Google has run itself. It goes back as the original part. */
  #readOwnCall(toolName: string, call: PlainObject, input: unknown, part: PlainObject): StreamPart[] {
    const id = this.#ids.next(call['id']);
    this.#running = { id, name: toolName };
    return [
      ...this.#close(),
      {
        type: 'tool-call',
        toolCallId: id,
        toolName,
        input: JSON.stringify(input),
        providerExecuted: true,
        ...this.#metadata({ part: unsigned(part), ...signatureOf(part) }),
      },
    ];
  }

  /** A result belongs to the call before it. */
  #readOwnResult(kind: string, result: PlainObject, part: PlainObject): StreamPart[] {
    const call = this.#running;
    if (call === undefined || !isJsonObject(result)) return [...this.#close(), raw(part)];
    this.#running = undefined;
    const { outcome } = result;
    return [
      ...this.#close(),
      {
        type: 'tool-result',
        toolCallId: call.id,
        toolName: call.name,
        result,
        ...(typeof outcome === 'string' && outcome !== 'OUTCOME_OK' ? { isError: true } : {}),
        ...this.#metadata({ kind, ...signatureOf(part) }),
      },
    ];
  }

  /** Emits the grounding of an answer: pages as sources, and all of it beside them. */
  #tellSources(metadata: unknown, sources: readonly GroundingSource[], name: string): StreamPart[] {
    if (!isJsonObject(metadata) || !saysAnything(metadata)) return [];
    this.#hasSources ||= sources.length > 0;
    if (!this.#hasSources) return [raw({ [name]: metadata })];
    return [
      ...sources.map((source) => ({ type: 'source' as const, sourceType: 'url' as const, id: '', ...source })),
      { type: 'source-data', data: { [name]: metadata } },
    ];
  }

  /** Keeps the message of a bad end; at a good end it says nothing new. */
  #readFinishMessage({ finishReason, finishMessage }: PlainObject): StreamPart[] {
    if (typeof finishMessage !== 'string' || finishReason === 'STOP' || finishReason === 'MAX_TOKENS') return [];
    // The answer is retracted and made again, and a block without a key cannot be retracted.
    if (isMalformed(finishReason)) return [];
    return [...this.#close(), raw({ finishReason, finishMessage })];
  }

  #close(part: PlainObject = {}): StreamPart[] {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return [];
    // A thought without a signature goes back too, to the model that wrote it.
    const kept = open.type === 'reasoning' ? this.#metadata(signatureOf(part)) : this.#signature(part);
    return [{ type: `${open.type}-end` as const, id: open.id, ...kept }];
  }

  #signature(part: PlainObject): { providerMetadata?: SharedV4ProviderMetadata } {
    const signature = signatureOf(part);
    return signature.thoughtSignature === undefined ? {} : this.#metadata(signature);
  }

  /** Returns the data that has to come back with a block, and the model it belongs to. */
  #metadata(data: PlainObject): { providerMetadata?: SharedV4ProviderMetadata } {
    const google = { ...data, model: this.#model };
    return isJsonObject(google) ? { providerMetadata: { google } } : {};
  }
}

function signatureOf({ thoughtSignature }: PlainObject): { thoughtSignature?: string } {
  return typeof thoughtSignature === 'string' ? { thoughtSignature } : {};
}

function raw(value: unknown): StreamPart {
  return { type: 'raw', rawValue: value };
}
