import type { ImageBlock, MessageBlock, PlainObject, SourcesBlock } from '@loom/blocks';
import { toDataUrl, writtenMediaType } from './file-writing.ts';
import type { FilePort } from './file-writing.ts';
import { urlForUI } from '../reading/file-reading.ts';
import { LOOM_BLOCK, withoutIdentity } from '../loom-parts.ts';
import { providerOptionsOf } from '../provider-options.ts';
import type { ProviderOptions } from '../model-message.ts';
import { readMark } from '../sdk-mark.ts';
import { isPlainUIPart } from '../ui-message.ts';
import type { FileUIPart, TextUIPart, UIPart } from '../ui-message.ts';

/**
 * Returns the parts of a block other than a call. A block that the SDK has no part for, or that people may see but the SDK must not send, goes into
 * one of Loom's data parts, which `fromUIMessages` reads back.
 */
export async function writeParts(block: MessageBlock, path: string, port: FilePort): Promise<UIPart[]> {
  if (block.ephemeral === true) return [loomPart(block)];
  const metadata = metadataField(providerOptionsOf(block, path, port.take));
  const { uiPart } = readMark(block);
  switch (block.type) {
    case 'text':
      return [withFields({ type: 'text', text: block.text, ...stateField(block), ...metadata } as const, uiPart)];
    case 'thinking':
      return [withFields({ type: 'reasoning', text: block.text, ...stateField(block), ...metadata } as const, uiPart)];
    case 'image':
      return [await writeFilePart(block, path, port)];
    case 'sources':
      return writeSources(block, metadata);
    case 'raw':
      return [block.source === 'ai-sdk' && isPlainUIPart(block.value) ? block.value : loomPart(block)];
    case 'tool-use':
    case 'code':
    case 'command':
    case 'file-change':
    case 'todo':
    case 'conversation':
    case 'error':
      return [loomPart(block)];
  }
}

/** Checks that a part may stand in a steering part, which holds only text and files. */
export function isSteeringContent(part: UIPart): part is TextUIPart | FileUIPart {
  return part.type === 'text' || part.type === 'file';
}

/** Returns the part with the fields that came with it, unless they were written already. */
export function withFields<T extends object>(part: T, fields: PlainObject | undefined): T {
  const written = new Map(Object.entries(part));
  const missing = Object.entries(fields ?? {}).filter(([key]) => written.get(key) === undefined);
  return { ...part, ...Object.fromEntries(missing) };
}

function loomPart(block: MessageBlock): UIPart {
  return { type: LOOM_BLOCK, data: withoutIdentity(block) };
}

async function writeFilePart(block: ImageBlock, path: string, port: FilePort): Promise<UIPart> {
  const { reference, uiPart } = readMark(block);
  const bytes = block.blob === undefined ? undefined : await port.loadBlob?.(block.blob);
  const url = bytes === undefined ? block.url : toDataUrl(block.media_type, bytes);
  if (url === undefined) {
    port.take({ reason: 'file-unavailable', path, message: 'A blob could not be loaded; its block was kept as data.' });
    return loomPart(block);
  }
  const part = {
    type: 'file' as const,
    mediaType: writtenMediaType(block),
    url: urlForUI(url),
    ...(block.filename === undefined ? {} : { filename: block.filename }),
    ...(reference === undefined ? {} : { providerReference: reference }),
    ...metadataField(providerOptionsOf(block, path, port.take)),
  };
  return withFields(part, uiPart);
}

function writeSources(block: SourcesBlock, metadata: { providerMetadata?: ProviderOptions }): UIPart[] {
  const { document, uiPart } = readMark(block);
  const mediaType = document?.['mediaType'];
  const filename = document?.['filename'];
  return block.sources.map(({ id, url, title }) => {
    const common = { sourceId: id, ...metadata };
    if (typeof mediaType === 'string') {
      const fields = { mediaType, title, ...(typeof filename === 'string' ? { filename } : {}) };
      return withFields({ type: 'source-document' as const, ...common, ...fields }, uiPart);
    }
    return withFields({ type: 'source-url' as const, ...common, url, ...(title === '' ? {} : { title }) }, uiPart);
  });
}

function stateField({ status }: MessageBlock): { state?: 'streaming' | 'done' } {
  if (status === undefined) return {};
  return { state: status === 'pending' || status === 'running' ? 'streaming' : 'done' };
}

function metadataField(providerMetadata: ProviderOptions | undefined): { providerMetadata?: ProviderOptions } {
  return providerMetadata === undefined ? {} : { providerMetadata };
}
