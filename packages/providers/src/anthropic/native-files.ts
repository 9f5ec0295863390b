import type { ImageBlock, PlainObject } from '@loom/blocks';
import { fileContent } from '../api/request/files.ts';

/** The media types that the vision guide of the Messages API names. */
const images = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** Returns a file as a block of the Messages API; `undefined` if it takes no such files. */
export function fileBlock(block: ImageBlock, files: ReadonlyMap<string, Uint8Array>): PlainObject | undefined {
  const { media_type: media, filename } = block;
  const content = fileContent(block, files);
  if (content === undefined) return undefined;
  const title = filename === undefined || filename === '' ? {} : { title: filename.slice(0, 500).toWellFormed() };
  if (images.has(media)) return { type: 'image', source: sourceOf(content, media) };
  if (media === 'application/pdf') return { type: 'document', source: sourceOf(content, media), ...title };
  if (content.type === 'url' || !isText(media)) return undefined;
  const data = new TextDecoder().decode(content.data);
  if (data.trim() === '') return undefined;
  return { type: 'document', source: { type: 'text', media_type: 'text/plain', data }, ...title };
}

/** Returns a file's name for people. */
export function describeFile({ filename, media_type: media }: ImageBlock): string {
  return filename === undefined || filename === '' ? `A file of type ${media}` : `${filename} (${media})`;
}

function sourceOf(content: NonNullable<ReturnType<typeof fileContent>>, media: string): PlainObject {
  if (content.type === 'url') return { type: 'url', url: content.url.href };
  return { type: 'base64', media_type: media, data: Buffer.from(content.data).toString('base64') };
}

function isText(media: string): boolean {
  return media.startsWith('text/') || /^application\/(json|xml|toml|yaml|x-yaml|javascript|x-sh)$/.test(media);
}
