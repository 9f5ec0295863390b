import { cleanText } from '../text/clean-text.ts';
import { messageBlock } from '../content-block.ts';
import type { ImageBlock, MessageBlock, TextBlock, ThinkingBlock, ToolBlock } from '../content-block.ts';
import { isPlainObject } from '../values/plain-object.ts';
import type { PlainObject } from '../values/plain-object.ts';
import { contentFields } from '../content-fields.ts';
import { isToolBlock } from '../guards.ts';
import { readCallPart } from './openai-calls.ts';
import type { CallWithoutId } from './openai-calls.ts';
import { arrayKey, unfoldExtra, withOpenAIData } from './openai-data.ts';
import { readMedia } from './openai-media.ts';

/** A tool's answer before it has found its call. */
export interface Result {
  id?: string;
  name?: string;
  content: ToolBlock[];
  isError: boolean;
  extra: PlainObject;
  /** The shapes inside it that stayed raw. */
  refused: string[];
}

/** The reading of one content part. `refused` names the shape that Loom has no block for; the part is kept raw. */
export type PartReading =
  | { kind: 'block'; block: MessageBlock }
  | { kind: 'call'; call: CallWithoutId }
  | { kind: 'result'; result: Result }
  | { kind: 'refused'; tag: string; part: unknown };

/** Reads one element of a content array, in any provider's spelling. Never throws. */
export function readPart(part: unknown): PartReading {
  const result = isPlainObject(part) ? readResultPart(part) : undefined;
  return result ? { kind: 'result', result } : readPlainPart(part);
}

/** Reads an element that is not a tool's answer. */
function readPlainPart(part: unknown): Exclude<PartReading, { kind: 'result' }> {
  if (typeof part === 'string') return { kind: 'block', block: makeText(part) };
  if (!isPlainObject(part)) return { kind: 'refused', tag: `part=${describeShape(part)}`, part };
  const call = readCallPart(part);
  if (call) return { kind: 'call', call };
  const own = readOwnBlock(part);
  if (own?.type === 'tool-use') return { kind: 'call', call: own };
  const block = own ?? readText(part) ?? readThinking(part) ?? readImage(part);
  if (block) return { kind: 'block', block };
  return { kind: 'refused', tag: `part=${describeShape(part['type'] ?? Object.keys(part)[0])}`, part };
}

/** The blocks of a tool's answer: a string, an array of parts, or any other value as JSON. */
function readResultContent(content: unknown): Pick<Result, 'content' | 'refused'> {
  if (content === undefined || content === null || content === '') return { content: [], refused: [] };
  if (typeof content === 'string') return { content: [makeText(content)], refused: [] };
  if (!Array.isArray(content)) return { content: [makeText(JSON.stringify(content))], refused: [] };
  const refused: string[] = [];
  const parts: readonly unknown[] = content;
  const blocks = parts.map((part): ToolBlock => {
    // An answer inside an answer is not looked into: however deep they are nested, reading does not go down.
    const reading = readPlainPart(part);
    if (reading.kind === 'block' && isToolBlock(reading.block)) return reading.block;
    if (isPlainObject(part) && 'json' in part) return makeText(JSON.stringify(part['json']));
    refused.push(reading.kind === 'refused' ? reading.tag : `tool.part=${reading.kind}`);
    return { type: 'raw', source: 'openai', value: part ?? null };
  });
  return { content: blocks, refused };
}

/** A text block with what else the part said of it. */
export function makeText(text: string, extra: PlainObject = {}): TextBlock {
  return withOpenAIData<TextBlock>({ type: 'text', text: cleanText(text) }, 'part', extra);
}

function readText(part: PlainObject): TextBlock | undefined {
  const { type, text, refusal, ...extra } = part;
  if (type === 'refusal' && typeof refusal === 'string') return makeText(refusal, { ...extra, type });
  if (type !== undefined && !(typeof type === 'string' && textTypes.has(type.toLowerCase()))) return undefined;
  // Gemini marks thoughts with a flag on a text part; they are read as thinking.
  if (part['thought'] === true) return undefined;
  const value = isPlainObject(text) ? text['value'] : text;
  if (typeof value !== 'string') return undefined;
  return makeText(value, isPlainObject(text) ? { ...extra, annotations: text['annotations'] } : extra);
}

const textTypes = new Set(['text', 'input_text', 'output_text', 'summary_text', 'reasoning_text']);

/**
 * Thinking in the spellings of Anthropic, Mistral, Gemini, Bedrock and LangChain. Signatures and ciphers go to the provider
 * data whole, and so does a text that came in pieces.
 */
function readThinking(part: PlainObject): ThinkingBlock | undefined {
  const { type, thinking, ...rest } = part;
  if (type === 'thinking' && thinking === undefined) {
    const { text = '', ...data } = rest;
    return typeof text === 'string' ? makeThinking(text, 'anthropic', data) : undefined;
  }
  if (type === 'thinking') {
    if (typeof thinking === 'string') return makeThinking(thinking, 'anthropic', rest);
    const text = joinPieces(thinking);
    return text === undefined ? undefined : makeThinking(text, 'mistral', { ...rest, thinking });
  }
  if (type === 'redacted_thinking') return makeThinking('', 'anthropic', part);
  if (type === 'reasoning') {
    const { type: _type, ...data } = part;
    const text = joinPieces(data['text'] ?? data['reasoning'] ?? data['summary']);
    return text === undefined ? undefined : makeThinking(text, arrayKey, { reasoning: data });
  }
  if (part['thought'] === true && typeof part['text'] === 'string') {
    const { text, thought: _thought, ...data } = part;
    return makeThinking(typeof text === 'string' ? text : '', 'google', data);
  }
  return readBedrockThinking(part['reasoningContent']);
}

function readBedrockThinking(reasoning: unknown): ThinkingBlock | undefined {
  if (!isPlainObject(reasoning)) return undefined;
  if (typeof reasoning['redactedContent'] === 'string') return makeThinking('', 'bedrock', reasoning);
  const { reasoningText } = reasoning;
  if (!isPlainObject(reasoningText) || typeof reasoningText['text'] !== 'string') return undefined;
  const { text, ...data } = reasoningText;
  return makeThinking(typeof text === 'string' ? text : '', 'bedrock', data);
}

/** A text that came as one string or as a list of strings and parts with a text; `undefined` if it has none. */
function joinPieces(pieces: unknown): string | undefined {
  const list: readonly unknown[] = Array.isArray(pieces) ? pieces : [pieces];
  const texts = list
    .map((piece) => (isPlainObject(piece) ? piece['text'] : piece))
    .filter((piece) => typeof piece === 'string');
  return texts.length === 0 ? undefined : texts.join('');
}

/** A thinking block with what its provider needs back. */
export function makeThinking(text: string, provider: string, data: PlainObject): ThinkingBlock {
  const block: ThinkingBlock = { type: 'thinking', text: cleanText(text) };
  return Object.keys(data).length === 0 ? block : { ...block, provider: { [provider]: data } };
}

/**
 * A block of Loom's own, written there by `toOpenAIMessages` because no provider has a part for it. Identity, status and
 * authorship are not taken over: the sender of an array could claim any.
 */
function readOwnBlock(part: PlainObject): MessageBlock | undefined {
  const parsed = messageBlock.safeParse(part);
  return parsed.success ? messageBlock.parse(contentAndProvider(parsed.data)) : undefined;
}

/** Returns the parts of a block that travel to other tools: its content and what its provider needs back. */
export function contentAndProvider(block: MessageBlock): PlainObject {
  const content = contentFields(block);
  return block.provider === undefined ? content : { ...content, provider: block.provider };
}

function readImage(part: PlainObject): ImageBlock | undefined {
  const media = readMedia(part);
  if (media === undefined) return undefined;
  const detail = isPlainObject(part['image_url']) ? part['image_url']['detail'] : part['detail'];
  const extra = Object.fromEntries(Object.entries(part).filter(([key]) => !mediaFields.has(key)));
  return withOpenAIData<ImageBlock>({ type: 'image', ...media }, 'part', { ...extra, detail });
}

const mediaFields = new Set(
  (
    'type image_url url source document_url document_name video_url audio_url input_audio file file_data file_id file_url ' +
    'filename base64 data media_type mime_type mimeType inlineData inline_data fileData image document title detail ' +
    'audio video file_uri fileUri'
  ).split(' '),
);

/** A tool's answer among the parts: Anthropic's `tool_result`, Gemini's `functionResponse`, Bedrock's `toolResult`. */
function readResultPart(part: PlainObject): Result | undefined {
  if (part['type'] === 'tool_result') {
    const { type: _type, tool_use_id, content, is_error, ...extra } = part;
    return makeResult(tool_use_id, undefined, content, is_error === true, extra);
  }
  const ofGemini = part['functionResponse'] ?? part['function_response'];
  if (isPlainObject(ofGemini)) return makeResult(ofGemini['id'], ofGemini['name'], ofGemini['response'], false, {});
  const ofBedrock = part['toolResult'];
  if (!isPlainObject(ofBedrock)) return undefined;
  return makeResult(ofBedrock['toolUseId'], undefined, ofBedrock['content'], ofBedrock['status'] === 'error', {});
}

/** A result from its pieces; parts of it that Loom has no block for stay raw. */
export function makeResult(id: unknown, name: unknown, content: unknown, isError: boolean, extra: PlainObject): Result {
  return {
    ...(typeof id === 'string' && id.trim() !== '' ? { id: cleanText(id) } : {}),
    ...(typeof name === 'string' && name !== '' ? { name: cleanText(name) } : {}),
    ...readResultContent(content),
    isError,
    extra: unfoldExtra(extra),
  };
}

/** A word for a value that was not understood: a string itself, else what kind of value it is. */
export function describeShape(value: unknown): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}
