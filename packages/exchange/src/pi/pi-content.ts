import { isPlainObject } from '@loom/blocks';
import type { AssistantBlock, ImageBlock, PlainObject, RawBlock, TextBlock } from '@loom/blocks';
import type { NodeSeed } from '@loom/kernel/logs';
import { isList, numberAt, objectAt, textAt } from '../foreign/fields.ts';
import { readArguments } from '../foreign/tool-arguments.ts';

/** Blocks, and the first kind of part that no block type fits. */
export interface ReadContent<Block> {
  readonly blocks: Block[];
  readonly unknown?: string;
}

/** Reads a user message or a tool's output: a text, or parts. */
export function readGiven(content: unknown): ReadContent<TextBlock | ImageBlock | RawBlock> {
  if (typeof content === 'string') return { blocks: [{ type: 'text', text: content }] };
  return readAll(content, readGivenPart);
}

/** Reads a model's message. `provider` decides the meaning of its signatures. */
export function readSpoken(content: unknown, provider: string): ReadContent<AssistantBlock> {
  if (typeof content === 'string') return { blocks: [{ type: 'text', text: content }] };
  return readAll(content, (part) => readSpokenPart(part, provider));
}

type ModelSource = Extract<NodeSeed['source'], { type: 'model' }>;

/** Returns the author of an answer, the reason it ended and its usage. */
export function sourceOf(message: PlainObject): ModelSource {
  const raw = objectAt(message, 'usage');
  const finish = textAt(message, 'stopReason');
  const source: ModelSource = {
    type: 'model',
    provider: textAt(message, 'provider') ?? '',
    model_name: textAt(message, 'model') ?? '',
    parameters: {},
  };
  if (finish !== undefined) source.finish_reason = finishReasons.get(finish) ?? finish;
  if (raw === undefined) return source;
  const [read, written] = [numberAt(raw, 'cacheRead') ?? 0, numberAt(raw, 'cacheWrite') ?? 0];
  const cost = numberAt(objectAt(raw, 'cost'), 'total');
  source.usage = {
    // pi counts tokens read from or written to the cache apart.
    input_tokens: (numberAt(raw, 'input') ?? 0) + read + written,
    output_tokens: numberAt(raw, 'output') ?? 0,
    cached_input_tokens: read,
    cache_write_tokens: written,
    ...(cost === undefined ? {} : { cost_usd: cost }),
    raw,
  };
  return source;
}

const finishReasons: ReadonlyMap<string, string> = new Map([['toolUse', 'tool-calls']]);

function readAll<Block extends AssistantBlock | RawBlock>(
  content: unknown,
  read: (part: unknown) => Block | undefined,
): ReadContent<Block | RawBlock> {
  const blocks: (Block | RawBlock)[] = [];
  let unknown: string | undefined;
  for (const part of isList(content) ? content : []) {
    const block = read(part);
    if (block === undefined) unknown ??= `part ${textAt(part, 'type') ?? 'without a type'}`;
    blocks.push(block ?? { type: 'raw', source: 'pi', value: part });
  }
  return unknown === undefined ? { blocks } : { blocks, unknown };
}

function readGivenPart(part: unknown): TextBlock | ImageBlock | undefined {
  const text = textAt(part, 'text');
  if (text !== undefined) return { type: 'text', text };
  const [data, mediaType] = [textAt(part, 'data'), textAt(part, 'mimeType')];
  if (textAt(part, 'type') !== 'image' || data === undefined) return undefined;
  const type = mediaType !== undefined && /^[^\s/]+\/[^\s/]+$/.test(mediaType) ? mediaType : 'image/png';
  return { type: 'image', media_type: type, url: `data:${type};base64,${data}` };
}

function readSpokenPart(part: unknown, provider: string): AssistantBlock | undefined {
  if (!isPlainObject(part)) return undefined;
  switch (part.type) {
    case 'thinking':
      return { type: 'thinking', text: textAt(part, 'thinking') ?? '', ...thinkingData(part, provider) };
    case 'toolCall': {
      const [id, name] = [textAt(part, 'id') ?? '', textAt(part, 'name') ?? ''];
      if (id.trim() === '' || name.trim() === '') return undefined;
      return { type: 'tool-use', id, name, ...readArguments(part.arguments), ...signed(part, provider) };
    }
    default: {
      const block = readGivenPart(part);
      return block?.type === 'text' ? { ...block, ...signed(part, provider) } : block;
    }
  }
}

/** pi keeps one text for each thought: the signature of Anthropic, the whole item of OpenAI. */
function thinkingData(part: PlainObject, provider: string): { provider?: PlainObject } {
  const signature = textAt(part, 'thinkingSignature');
  if (signature === undefined || signature === '') return {};
  if (part.redacted === true) return { provider: { [provider]: { redactedData: signature } } };
  if (!signature.startsWith('{')) {
    return { provider: { [provider]: provider === 'google' ? { thoughtSignature: signature } : { signature } } };
  }
  const item = parseObject(signature);
  const [itemId, sealed] = [textAt(item, 'id'), textAt(item, 'encrypted_content')];
  if (itemId === undefined) return { provider: { [provider]: { signature } } };
  return { provider: { openai: { itemId, ...(sealed === undefined ? {} : { reasoningEncryptedContent: sealed }) } } };
}

function signed(part: PlainObject, provider: string): { provider?: PlainObject } {
  const thoughtSignature = textAt(part, 'thoughtSignature');
  return thoughtSignature === undefined ? {} : { provider: { [provider]: { thoughtSignature } } };
}

function parseObject(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}
