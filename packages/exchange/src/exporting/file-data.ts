import { Buffer } from 'node:buffer';
import type { ImageBlock } from '@loom/blocks';
import type { ExportSource } from './source.ts';

/** The content of a file: its bytes as base64, or an address. */
export type FileData = { readonly base64: string } | { readonly url: string };

/** The content of a picture or another file; `undefined` if its blob is not there. */
export async function fileData(block: ImageBlock, source: ExportSource): Promise<FileData | undefined> {
  if (block.blob !== undefined) {
    const bytes = await source.blob(block.blob);
    return bytes === undefined ? undefined : { base64: Buffer.from(bytes).toString('base64') };
  }
  const url = block.url ?? '';
  const data = /^data:[^,]*,/.exec(url);
  if (data === null) return { url };
  const body = url.slice(data[0].length);
  if (/;base64,$/i.test(data[0])) return { base64: body };
  return { base64: Buffer.from(decodeText(body)).toString('base64') };
}

/** A file as a data URL, or its address; `undefined` if its blob is not there. */
export async function fileUrl(block: ImageBlock, source: ExportSource): Promise<string | undefined> {
  const data = await fileData(block, source);
  if (data === undefined) return undefined;
  return 'url' in data ? data.url : `data:${block.media_type};base64,${data.base64}`;
}

/** Returns a file's name for people. */
export function describeFile({ filename, media_type: media }: ImageBlock): string {
  return filename === undefined || filename === '' ? `A file of type ${media}` : `${filename} (${media})`;
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
