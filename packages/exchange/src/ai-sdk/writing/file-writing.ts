import { Buffer } from 'node:buffer';
import { renderBlockAsText } from '@loom/blocks';
import type { ImageBlock } from '@loom/blocks';
import { mediaTypeOf } from '../reading/file-reading.ts';
import type { FileData, FilePart, TextPart } from '../model-message.ts';
import type { TakeNote } from '../note.ts';
import { optionsField, providerOptionsOf } from '../provider-options.ts';
import { readMark } from '../sdk-mark.ts';

/** Loads the bytes of a blob by its id (`sha256:…`), or `undefined` if the store has no such blob. Rejects if the store is broken. */
export type LoadBlob = (id: string) => Promise<Uint8Array | undefined>;

/** The functions that writing a file needs from outside. */
export interface FilePort {
  loadBlob?: LoadBlob | undefined;
  take: TakeNote;
}

/**
 * An image or other file as the SDK's `file` part (its `image` part is deprecated). A file that cannot be loaded becomes a
 * placeholder text, so that one lost blob does not make a whole conversation unsendable.
 */
export async function toFilePart(block: ImageBlock, path: string, port: FilePort): Promise<FilePart | TextPart> {
  const data = await resolveData(block, port);
  if (data === undefined) {
    const text = placeholder(block);
    port.take({ reason: 'file-unavailable', path, message: `${text} was sent instead of the file.` });
    return { type: 'text', text };
  }
  return {
    type: 'file',
    mediaType: writtenMediaType(block),
    data,
    ...(block.filename === undefined ? {} : { filename: block.filename }),
    ...optionsField(providerOptionsOf(block, path, port.take)),
  };
}

/** Returns the placeholder text for a file. */
export function placeholder(block: ImageBlock): string {
  return `${renderBlockAsText(block).slice(0, -1)} (not available)]`;
}

/** Returns the original spelling of the media type, while it still matches the block. */
export function writtenMediaType(block: ImageBlock): string {
  const { mediaType } = readMark(block);
  return mediaType !== undefined && mediaTypeOf(mediaType) === block.media_type ? mediaType : block.media_type;
}

/** Bytes as a data URL. */
export function toDataUrl(mediaType: string, bytes: Uint8Array): string {
  return `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
}

async function resolveData(block: ImageBlock, port: FilePort): Promise<FileData | undefined> {
  const { reference, inline } = readMark(block);
  if (reference !== undefined) return { type: 'reference', reference };
  if (block.blob !== undefined) {
    const data = await port.loadBlob?.(block.blob);
    return data === undefined ? undefined : { type: 'data', data };
  }
  const url = block.url ?? '';
  const base64 = inline === undefined ? undefined : base64Of(url);
  if (base64 !== undefined && inline !== undefined) return inlineData(base64, inline);
  return URL.canParse(url) ? { type: 'url', url: new URL(url) } : undefined;
}

function inlineData(base64: string, inline: 'base64' | 'bytes' | 'text'): FileData {
  switch (inline) {
    case 'base64':
      return { type: 'data', data: base64 };
    case 'bytes':
      return { type: 'data', data: new Uint8Array(Buffer.from(base64, 'base64')) };
    case 'text':
      return { type: 'text', text: Buffer.from(base64, 'base64').toString('utf8') };
  }
}

function base64Of(url: string): string | undefined {
  const marker = ';base64,';
  const start = url.indexOf(marker);
  return url.startsWith('data:') && start !== -1 ? url.slice(start + marker.length) : undefined;
}
