import { cleanText, isBlank, isPlainObject } from '@loom/blocks';
import type { ImageBlock, MessageBlock, PlainObject, ToolUseBlock } from '@loom/blocks';
import { isList, objectIn, textIn } from '../foreign/fields.ts';

/** A part of a model's answer: a block to show, a call, or the result of a tool that the provider ran. */
export type AnswerPart =
  | { readonly type: 'block'; readonly block: MessageBlock }
  | { readonly type: 'call'; readonly block: ToolUseBlock }
  | { readonly type: 'result'; readonly call: string; readonly result: PlainObject }
  /** A part of an unknown kind: kept unchanged. */
  | { readonly type: 'unknown'; readonly kind: string; readonly block: MessageBlock };

/** Reads a block of an answer. `key` names a call that has no id. */
export function readAnswerBlock(native: unknown, key: string): AnswerPart {
  if (typeof native === 'string') return { type: 'block', block: textBlock(native) };
  if (!isPlainObject(native)) return unknownPart(typeof native, native);
  const kind = textIn(native.type) ?? 'without a type';
  switch (kind) {
    case 'text':
      if (typeof native.text !== 'string') break;
      return {
        type: 'block',
        block: withOwn(textBlock(native.text), ownOf({ citations: listOrNothing(native.citations) })),
      };
    case 'thinking': {
      if (typeof native.thinking !== 'string') break;
      const block: MessageBlock = { type: 'thinking', text: cleanText(native.thinking) };
      return { type: 'block', block: withOwn(block, ownOf({ signature: textIn(native.signature) })) };
    }
    case 'redacted_thinking': {
      const block: MessageBlock = { type: 'thinking', text: '' };
      return { type: 'block', block: withOwn(block, ownOf({ redactedData: native.data })) };
    }
    case 'tool_use':
      return { type: 'call', block: readCall(native, key) };
    case 'server_tool_use':
    case 'mcp_tool_use': {
      const { input: _input, ...rest } = native;
      return {
        type: 'call',
        block: { ...readCall(native, key), executed: 'provider', provider: { anthropic: { native: rest } } },
      };
    }
    case 'image':
    case 'document': {
      const file = readFile(native);
      if (file === undefined) break;
      return { type: 'block', block: file };
    }
    default:
      if (kind.endsWith('_tool_result') && typeof native.tool_use_id === 'string') {
        return { type: 'result', call: native.tool_use_id, result: native };
      }
  }
  return unknownPart(kind, native);
}

/** Reads a block that a user or a tool sent: text, an image, a file. `undefined` for unknown kinds. */
export function readSentBlock(native: unknown): MessageBlock | undefined {
  if (typeof native === 'string') return textBlock(native);
  if (!isPlainObject(native)) return undefined;
  switch (native.type) {
    case 'text':
      return typeof native.text === 'string' ? textBlock(native.text) : undefined;
    case 'image':
    case 'document':
      return readFile(native);
    case 'tool_reference':
      // A result of a search for tools: the model gets the tools' descriptions, which the line lacks.
      return { type: 'raw', source: 'anthropic', value: native };
    default:
      return undefined;
  }
}

export function textBlock(text: string): MessageBlock {
  return { type: 'text', text: cleanText(text) };
}

export function rawBlock(value: unknown): MessageBlock {
  return { type: 'raw', source: 'claude-code', value };
}

function unknownPart(kind: string, native: unknown): AnswerPart {
  return { type: 'unknown', kind, block: rawBlock(native) };
}

function readCall(native: PlainObject, key: string): ToolUseBlock {
  const id = cleanText(textIn(native.id) ?? key);
  const name = cleanText(textIn(native.name) ?? 'unknown');
  const input = objectIn(native.input);
  const unparsed = objectIn(input?.__unparsedToolInput)?.raw;
  const block: ToolUseBlock = {
    type: 'tool-use',
    id: isBlank(id) ? key : id,
    name: isBlank(name) ? 'unknown' : name,
    parameters: unparsed === undefined ? (input ?? {}) : {},
  };
  if (typeof unparsed === 'string') block.arguments = cleanText(unparsed);
  else if (input === undefined && typeof native.input === 'string') block.arguments = cleanText(native.input);
  const caller = objectIn(native.caller);
  return caller === undefined ? block : { ...block, provider: { anthropic: { caller } } };
}

function readFile(native: PlainObject): ImageBlock | MessageBlock | undefined {
  const source = objectIn(native.source);
  const url = textIn(source?.url);
  const filename = textIn(native.title);
  const named = filename === undefined ? {} : { filename: cleanText(filename) };
  if (source?.type === 'url' && url !== undefined) {
    return { type: 'image', media_type: mediaType(source.media_type, native.type), url: cleanText(url), ...named };
  }
  if (typeof source?.data !== 'string') return undefined;
  if (source.type === 'text') return textBlock(source.data);
  const media = mediaType(source.media_type, native.type);
  return { type: 'image', media_type: media, url: `data:${media};base64,${source.data}`, ...named };
}

function mediaType(value: unknown, kind: unknown): string {
  if (typeof value === 'string' && /^[^\s/\0]+\/[^\s/\0]+$/.test(value)) return cleanText(value);
  return kind === 'document' ? 'application/pdf' : 'application/octet-stream';
}

/** Returns the fields that Anthropic wants back with a block, under the key that the live provider uses too. */
function ownOf(fields: PlainObject): PlainObject | undefined {
  const [field] = Object.entries(fields);
  return field?.[1] === undefined ? undefined : { anthropic: fields };
}

function withOwn(block: MessageBlock, own: PlainObject | undefined): MessageBlock {
  return own === undefined ? block : { ...block, provider: own };
}

function listOrNothing(value: unknown): readonly unknown[] | undefined {
  return isList(value) && value.length > 0 ? value : undefined;
}
