import { isBlank } from '@loom/blocks';
import type { ImageBlock, PlainObject, RawBlock, TextBlock, ThinkingBlock, ToolUseBlock } from '@loom/blocks';
import { z } from 'zod';
import { readInput } from '../call-input.ts';
import { cleanString, readFields, typeOf } from './field-reading.ts';
import { toImageBlock } from './file-reading.ts';
import { copyAsJson } from '../json.ts';
import { isProviderOptions } from '../model-message.ts';
import type { ProviderOptions } from '../model-message.ts';
import type { TakeNote } from '../note.ts';
import { providerField } from '../provider-options.ts';
import { addMark, unlessEmpty } from '../sdk-mark.ts';

const providerOptions = z.custom<ProviderOptions>(isProviderOptions).exactOptional();

const textPart = z.object({ type: z.literal('text'), text: cleanString, providerOptions });
const reasoningPart = z.object({ type: z.literal('reasoning'), text: cleanString, providerOptions });
const filePart = z.object({
  type: z.literal('file'),
  data: z.unknown(),
  mediaType: cleanString,
  filename: cleanString.exactOptional(),
  providerOptions,
});
const imagePart = z.object({
  type: z.literal('image'),
  image: z.unknown(),
  mediaType: cleanString.exactOptional(),
  providerOptions,
});
const toolCallPart = z.object({
  type: z.literal('tool-call'),
  toolCallId: cleanString,
  toolName: cleanString,
  input: z.unknown().optional(),
  providerExecuted: z.boolean().exactOptional(),
  providerOptions,
});

/** A part that people write: text or a file. `undefined` for anything else. */
export function readContentPart(part: unknown, path: string, take: TakeNote): TextBlock | ImageBlock | undefined {
  switch (typeOf(part)) {
    case 'text':
      return readText(part, path, take);
    case 'file': {
      const read = readFields(filePart, part);
      return read && completeFile(toImageBlock(read.fields), read, path, take);
    }
    case 'image': {
      const read = readFields(imagePart, part);
      const { image: data, mediaType = 'image' } = read?.fields ?? {};
      return read && completeFile(toImageBlock({ data, mediaType }), read, path, take);
    }
    default:
      return undefined;
  }
}

/** A part that models write and that is a block. `undefined` for anything else. */
export function readSpokenPart(
  part: unknown,
  path: string,
  take: TakeNote,
): TextBlock | ImageBlock | ThinkingBlock | ToolUseBlock | undefined {
  switch (typeOf(part)) {
    case 'reasoning':
      return readReasoning(part, path, take);
    case 'tool-call':
      return readCall(part, path, take);
    default:
      return readContentPart(part, path, take);
  }
}

/** The block that keeps a part which Loom has no block for. */
export function keepPart(part: unknown, path: string, take: TakeNote): RawBlock {
  const type = typeOf(part);
  const name = type === undefined ? '' : ` of type ${type}`;
  take({ reason: 'kept-raw', path, message: `A part${name} that Loom has no block for was kept as raw.` });
  return { type: 'raw', source: 'ai-sdk', value: copyAsJson(part) };
}

function readText(part: unknown, path: string, take: TakeNote): TextBlock | undefined {
  const read = readFields(textPart, part);
  if (!read) return undefined;
  const block = { type: 'text' as const, text: read.fields.text };
  return addMark(
    { ...block, ...providerField(read.fields.providerOptions, path, take) },
    { modelPart: unlessEmpty(read.rest) },
  );
}

function completeFile(
  found: ImageBlock | undefined,
  { fields, rest }: { fields: { providerOptions?: ProviderOptions }; rest: PlainObject },
  path: string,
  take: TakeNote,
): ImageBlock | undefined {
  if (!found) return undefined;
  const { provider } = providerField(fields.providerOptions, path, take);
  const block = provider === undefined ? found : { ...found, provider: { ...provider, ...found.provider } };
  return addMark(block, { modelPart: unlessEmpty(rest) });
}

function readReasoning(part: unknown, path: string, take: TakeNote): ThinkingBlock | undefined {
  const read = readFields(reasoningPart, part);
  if (!read) return undefined;
  const block = { type: 'thinking' as const, text: read.fields.text };
  return addMark(
    { ...block, ...providerField(read.fields.providerOptions, path, take) },
    { modelPart: unlessEmpty(read.rest) },
  );
}

function readCall(part: unknown, path: string, take: TakeNote): ToolUseBlock | undefined {
  const read = readFields(toolCallPart, part);
  if (!read || isBlank(read.fields.toolCallId) || isBlank(read.fields.toolName)) return undefined;
  const { toolCallId: id, toolName: name, providerExecuted } = read.fields;
  const input = readInput(read.fields.input);
  const block = { type: 'tool-use' as const, id, name, ...input.fields };
  return addMark(
    { ...block, ...providerField(read.fields.providerOptions, path, take) },
    { input: input.mark, providerExecuted, modelPart: unlessEmpty(read.rest) },
  );
}
