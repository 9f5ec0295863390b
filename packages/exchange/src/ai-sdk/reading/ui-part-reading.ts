import { isAssistantBlock, isPlainObject, isUserBlock, messageBlock } from '@loom/blocks';
import type {
  AssistantBlock,
  BlockStatus,
  ImageBlock,
  MessageBlock,
  SourcesBlock,
  TextBlock,
  UserBlock,
} from '@loom/blocks';
import { readFields, typeOf } from './field-reading.ts';
import { toImageBlock } from './file-reading.ts';
import { withoutIdentity, LOOM_BLOCK } from '../loom-parts.ts';
import { keepPart } from './model-part-reading.ts';
import type { TakeNote } from '../note.ts';
import { providerField } from '../provider-options.ts';
import { addMark, unlessEmpty } from '../sdk-mark.ts';
import { fileUIPart, reasoningUIPart, sourceDocumentUIPart, sourceUrlUIPart, textUIPart } from '../ui-message.ts';

/** Reads a part of a user's UI message. A part that no user block in Loom fits is kept as `raw`. */
export function readUserPart(part: unknown, path: string, take: TakeNote): UserBlock {
  const block = readPart(part, path, take);
  return isUserBlock(block) ? block : keepPart(part, path, take);
}

/** A part of a model's UI message other than calls, step boundaries and steering. */
export function readAssistantPart(part: unknown, path: string, take: TakeNote): AssistantBlock {
  const block = readPart(part, path, take);
  return isAssistantBlock(block) ? block : keepPart(part, path, take);
}

function readPart(part: unknown, path: string, take: TakeNote): MessageBlock | undefined {
  switch (typeOf(part)) {
    case 'text':
      return readText(part, path, take);
    case 'reasoning':
      return readReasoning(part, path, take);
    case 'file':
      return readFilePart(part, path, take);
    case 'source-url':
      return readSourcePage(part, path, take);
    case 'source-document':
      return readSourceDocument(part, path, take);
    case LOOM_BLOCK:
      return readLoomPart(part);
    default:
      return undefined;
  }
}

function readText(part: unknown, path: string, take: TakeNote): TextBlock | undefined {
  const read = readFields(textUIPart, part);
  if (!read) return undefined;
  const { text, state, providerMetadata } = read.fields;
  const block: TextBlock = {
    type: 'text',
    text,
    ...statusField(state),
    ...providerField(providerMetadata, path, take),
  };
  return addMark(block, { uiPart: unlessEmpty(read.rest) });
}

function readReasoning(part: unknown, path: string, take: TakeNote): AssistantBlock | undefined {
  const read = readFields(reasoningUIPart, part);
  if (!read) return undefined;
  const { text, state, providerMetadata } = read.fields;
  const block: AssistantBlock = {
    type: 'thinking',
    text,
    ...statusField(state),
    ...providerField(providerMetadata, path, take),
  };
  return addMark(block, { uiPart: unlessEmpty(read.rest) });
}

/** A part that is still being written is a running block; a missing state says that it is not streamed at all. */
function statusField(state: 'streaming' | 'done' | undefined): { status?: BlockStatus } {
  if (state === undefined) return {};
  return { status: state === 'streaming' ? 'running' : 'done' };
}

function readFilePart(part: unknown, path: string, take: TakeNote): ImageBlock | undefined {
  const read = readFields(fileUIPart, part);
  if (!read) return undefined;
  const { mediaType, url, filename, providerReference, providerMetadata } = read.fields;
  const found = toImageBlock({ mediaType, data: { type: 'url', url }, filename, reference: providerReference });
  if (!found) return undefined;
  const { provider } = providerField(providerMetadata, path, take);
  const block = provider === undefined ? found : { ...found, provider: { ...provider, ...found.provider } };
  return addMark(block, { uiPart: unlessEmpty(read.rest) });
}

function readSourcePage(part: unknown, path: string, take: TakeNote): SourcesBlock | undefined {
  const read = readFields(sourceUrlUIPart, part);
  if (!read) return undefined;
  const { sourceId: id, url, title = '', providerMetadata } = read.fields;
  const block = sourcesBlock({ id, url, title }, providerField(providerMetadata, path, take));
  // An absent title and an empty one are the same to Loom, but not to the part's writer.
  const rest = read.fields.title === '' ? { ...read.rest, title } : read.rest;
  return addMark(block, { uiPart: unlessEmpty(rest) });
}

function readSourceDocument(part: unknown, path: string, take: TakeNote): SourcesBlock | undefined {
  const read = readFields(sourceDocumentUIPart, part);
  if (!read) return undefined;
  const { sourceId: id, title, mediaType, filename, providerMetadata } = read.fields;
  const block = sourcesBlock({ id, url: '', title }, providerField(providerMetadata, path, take));
  const document = filename === undefined ? { mediaType } : { mediaType, filename };
  return addMark(block, { document, uiPart: unlessEmpty(read.rest) });
}

function sourcesBlock(source: SourcesBlock['sources'][number], record: Pick<SourcesBlock, 'provider'>): SourcesBlock {
  return { type: 'sources', sources: [source], ...record };
}

/** The block inside a part that Loom itself wrote for it. */
function readLoomPart(part: unknown): MessageBlock | undefined {
  const parsed = messageBlock.safeParse(isPlainObject(part) ? part['data'] : undefined);
  return parsed.success ? withoutIdentity(parsed.data) : undefined;
}
