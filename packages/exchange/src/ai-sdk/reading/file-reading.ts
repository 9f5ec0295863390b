import { Buffer } from 'node:buffer';
import { cleanText, isPlainObject } from '@loom/blocks';
import type { ImageBlock } from '@loom/blocks';
import { isProviderReference } from '../model-message.ts';
import type { ProviderReference } from '../model-message.ts';
import { addMark } from '../sdk-mark.ts';
import type { SdkMark } from '../sdk-mark.ts';

/** A file of the SDK, wherever it comes from. */
export interface ForeignFile {
  mediaType: string;
  /** The SDK's `data`, in any of its spellings. */
  data: unknown;
  filename?: string | undefined;
  reference?: ProviderReference | undefined;
}

const REFERENCE_SCHEME = 'provider-reference:';

/** Returns the image block of a file, or `undefined` if nothing says where its bytes are. */
export function toImageBlock(file: ForeignFile): ImageBlock | undefined {
  const media_type = cleanText(mediaTypeOf(file.mediaType));
  const found = locate(file.data, media_type) ?? referenceLocation(file.reference);
  if (found === undefined) return undefined;
  const block: ImageBlock = {
    type: 'image',
    media_type,
    url: cleanText(found.url),
    ...(file.filename === undefined ? {} : { filename: cleanText(file.filename) }),
  };
  return addMark(block, {
    mediaType: media_type === file.mediaType ? undefined : file.mediaType,
    inline: found.inline,
    reference: file.reference ?? found.reference,
  });
}

/** A media type with both its halves, as blocks have it: the SDK also says just `image`. */
export function mediaTypeOf(mediaType: string): string {
  if (/^[^\s/]+\/[^\s/]+$/.test(mediaType)) return mediaType;
  return /^[^\s/]+$/.test(mediaType) ? `${mediaType}/*` : 'application/octet-stream';
}

/** The URL of a UI part; one that only stands for uploaded files does not count. */
export function urlForUI(url: string): string {
  return url.startsWith(REFERENCE_SCHEME) ? '' : url;
}

interface Location {
  url: string;
  inline?: SdkMark['inline'];
  reference?: ProviderReference | undefined;
}

function locate(data: unknown, mediaType: string): Location | undefined {
  if (data instanceof URL) return locateUrl(data);
  if (typeof data === 'string') return locateText(data, mediaType);
  const bytes = bytesOf(data);
  if (bytes !== undefined) return { url: dataUrl(mediaType, bytes.toString('base64')), inline: 'bytes' };
  if (!isPlainObject(data)) return undefined;
  switch (data['type']) {
    case 'url':
      return locateUrl(data['url']);
    case 'data':
      return isPlainObject(data['data']) ? undefined : locate(data['data'], mediaType);
    case 'text':
      return typeof data['text'] === 'string'
        ? { url: dataUrl(mediaType, Buffer.from(data['text']).toString('base64')), inline: 'text' }
        : undefined;
    case 'reference':
      return isProviderReference(data['reference']) ? referenceLocation(data['reference']) : undefined;
    default:
      return isProviderReference(data) ? referenceLocation(data) : undefined;
  }
}

function locateUrl(url: unknown): Location | undefined {
  if (url instanceof URL) return { url: url.href };
  return typeof url === 'string' && url !== '' ? { url } : undefined;
}

/** A bare string is a URL if it reads as one, else base64, as the SDK has it. */
function locateText(text: string, mediaType: string): Location | undefined {
  if (text === '') return undefined;
  return URL.canParse(text) ? { url: text } : { url: dataUrl(mediaType, text), inline: 'base64' };
}

/** An image block needs a URL; a file that only a provider holds gets one that names the provider and its id. */
function referenceLocation(reference: ProviderReference | undefined): Location | undefined {
  const [first] = Object.entries(reference ?? {});
  return first && { url: `${REFERENCE_SCHEME}${first.map(encodeURIComponent).join('/')}`, reference };
}

function bytesOf(data: unknown): Buffer | undefined {
  if (data instanceof Uint8Array) return Buffer.from(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : undefined;
}

function dataUrl(mediaType: string, base64: string): string {
  // A comma or semicolon in the media type would end the header early.
  const header = /^[\w.+*-]+\/[\w.+*-]+$/.test(mediaType) ? mediaType : 'application/octet-stream';
  return `data:${header};base64,${base64}`;
}
