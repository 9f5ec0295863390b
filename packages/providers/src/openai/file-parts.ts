import type { ImageBlock } from '@loom/blocks';
import { fileContent } from '../api/request/files.ts';
import { placeOf } from '../api/request/picture-limits.ts';

/** A file in a form that both of OpenAI's APIs take. */
export type FilePart =
  | { type: 'image'; url: string }
  | { type: 'pdf'; filename: string; url: string; isData: boolean }
  | { type: 'text'; text: string };

/** https://platform.openai.com/docs/guides/images-vision */
const images = new Set(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);

/** Returns the part of a file; `undefined` if the APIs take no such files, or if its bytes are gone. */
export function filePart(
  block: ImageBlock,
  files: ReadonlyMap<string, Uint8Array>,
  tooLarge?: ReadonlyMap<string, string>,
): FilePart | undefined {
  const { media_type: media, filename } = block;
  if (tooLarge?.has(placeOf(block)) === true) return undefined;
  const content = fileContent(block, files);
  if (content === undefined) return undefined;
  const isData = content.type === 'data';
  const url = (): string =>
    content.type === 'url' ? content.url.href : `data:${media};base64,${Buffer.from(content.data).toString('base64')}`;
  if (images.has(media)) return { type: 'image', url: url() };
  if (media === 'application/pdf') return { type: 'pdf', filename: filename || 'document.pdf', url: url(), isData };
  if (content.type === 'url' || !isText(media)) return undefined;
  const text = new TextDecoder().decode(content.data);
  return { type: 'text', text: filename ? `${filename}:\n\n${text}` : text };
}

/** Returns the reason a file is left out. */
export function whyLeftOut(block: ImageBlock, tooLarge: ReadonlyMap<string, string> | undefined): string {
  const why = tooLarge?.get(placeOf(block));
  const name = describeFile(block);
  return why === undefined ? `${name} is not a file that this model can take.` : `${name} ${why}. It was left out.`;
}

/** Returns a file's name for people. */
function describeFile({ filename, media_type: media }: ImageBlock): string {
  return filename === undefined || filename === '' ? `A file of type ${media}` : `${filename} (${media})`;
}

function isText(media: string): boolean {
  return media.startsWith('text/') || /^application\/(json|xml|toml|yaml|x-yaml|javascript|x-sh)$/.test(media);
}
