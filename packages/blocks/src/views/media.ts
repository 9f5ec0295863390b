import type { ImageBlock } from '../content-block.ts';
import { objectIn, textIn } from './foreign.ts';
import type { View } from './view.ts';

/** Tools whose result is a picture: Codex's `view_image`. */
export const mediaView: View = {
  ofCall: () => [],
  ofResult: (_parameters, outcome) => imagesOfParts(outcome.parts),
};

/**
 * The images and other files among the parts of a result, in the spellings of MCP, Anthropic, OpenAI and ACP. Texts are
 * left alone: they are the `text` block that a view stands beside.
 */
export function imagesOfParts(parts: readonly unknown[]): ImageBlock[] {
  return parts.flatMap((part) => imageOfPart(objectIn(part, 'content') ?? part) ?? []);
}

/** An image block from base64 data; `undefined` if it is not base64 or the media type is neither given nor recognised. */
export function imageOfBase64(data: string | undefined, mediaType?: string, filename?: string): ImageBlock | undefined {
  if (data === undefined || data === '' || !/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return undefined;
  const type = mediaType ?? mediaTypes.find(([prefix]) => data.startsWith(prefix))?.[1];
  if (type === undefined || !isMediaType(type)) return undefined;
  const block: ImageBlock = { type: 'image', media_type: type, url: `data:${type};base64,${data}` };
  return filename === undefined ? block : { ...block, filename };
}

// The first bytes of common files in base64.
const mediaTypes: readonly (readonly [prefix: string, mediaType: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi', 'application/pdf'],
];

const partTypes: ReadonlySet<string> = new Set(['image', 'document', 'audio', 'input_image', 'image_url']);

function imageOfPart(part: unknown): ImageBlock | undefined {
  if (!partTypes.has(textIn(part, 'type') ?? '')) return undefined;
  const source = objectIn(part, 'source') ?? part;
  const url = textIn(part, 'image_url') ?? textIn(objectIn(part, 'image_url'), 'url') ?? textIn(source, 'url');
  if (url !== undefined) return imageOfUrl(url);
  return imageOfBase64(textIn(source, 'data'), textIn(source, 'media_type', 'mimeType'));
}

/** An image block from a data URL. A plain URL names no media type, so it makes no block. */
export function imageOfUrl(url: string): ImageBlock | undefined {
  const comma = url.indexOf(',');
  const head = url.slice(0, comma);
  if (comma === -1 || !head.startsWith('data:') || !head.endsWith(';base64')) return undefined;
  return imageOfBase64(url.slice(comma + 1), head.slice('data:'.length, -';base64'.length));
}

function isMediaType(text: string): boolean {
  return /^[\w.+-]+\/[\w.+-]+$/.test(text);
}
