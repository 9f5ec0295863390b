import type { ImageBlock, Message } from '@loom/blocks';
import { fileContent } from './files.ts';
import { pictureSize } from './picture-size.ts';

/** An API's limits for images. Lengths are in bytes as they are sent, in base64. */
export interface PictureLimits {
  /** The owner of the limits, for a sentence. */
  vendor: string;
  longest: number;
  /** All of them together. */
  together: number;
  /** Of width and height, in pixels. */
  side?: number;
  /** A smaller limit of width and height, in pixels, for requests with more than `count` images. */
  many?: { count: number; side: number };
}

const megabyte = 2 ** 20;

/** https://platform.claude.com/docs/en/build-with-claude/vision; a request has 32 MB, and needs room for its texts. */
export const anthropicPictures: PictureLimits = {
  vendor: 'Anthropic',
  longest: 5 * megabyte,
  together: 28 * megabyte,
  side: 8000,
  many: { count: 20, side: 2000 },
};

/** https://platform.openai.com/docs/guides/images-vision */
export const openaiPictures: PictureLimits = { vendor: 'OpenAI', longest: 48 * megabyte, together: 48 * megabyte };

/** https://ai.google.dev/gemini-api/docs/file-input-methods */
export const googlePictures: PictureLimits = { vendor: 'Google', longest: 96 * megabyte, together: 96 * megabyte };

/**
 * Finds the images that an API would refuse, by the place of their bytes, with the reason in words. A conversation with one of them could never
 * continue, so they are left out. If there are too many, the newest stay.
 */
export function picturesTooLarge(
  messages: readonly Message[],
  files: ReadonlyMap<string, Uint8Array>,
  limits: PictureLimits,
): ReadonlyMap<string, string> {
  const reasons = new Map<string, string>();
  let [together, count, largest] = [0, 0, 0];
  for (const block of messages.toReversed().flatMap(picturesOf)) {
    const content = fileContent(block, files);
    if (content?.type !== 'data') continue;
    const length = Math.ceil(content.data.length / 3) * 4;
    const { width = 0, height = 0 } = pictureSize(content.data) ?? {};
    const side = Math.max(width, height);
    const { vendor, longest, side: mostSide = Number.POSITIVE_INFINITY, many } = limits;
    const isCrowded = many !== undefined && count >= many.count && Math.max(largest, side) > many.side;
    const why =
      length > longest
        ? `has ${sizeOf(length)} as it is sent, and ${vendor} takes ${sizeOf(longest)}`
        : side > mostSide
          ? `has ${width} × ${height} pixels, and ${vendor} takes ${mostSide} on each side`
          : together + length > limits.together
            ? `would be too much: ${vendor} takes ${sizeOf(limits.together)} of pictures in one request, and newer ones are shown`
            : isCrowded
              ? `would be too much: ${vendor} takes ${many.count} pictures of more than ${many.side} pixels, and newer ones are shown`
              : undefined;
    if (why !== undefined) reasons.set(placeOf(block), why);
    else [together, count, largest] = [together + length, count + 1, Math.max(largest, side)];
  }
  return reasons;
}

/** Returns the key of an image in the map of those that are too large. */
export function placeOf({ blob, url = '' }: ImageBlock): string {
  return blob ?? url;
}

function picturesOf({ content }: Message): ImageBlock[] {
  const blocks: readonly { type: string }[] = content;
  return blocks.filter(isPicture).toReversed();
}

function isPicture(block: { type: string }): block is ImageBlock {
  return block.type === 'image' && 'media_type' in block && String(block.media_type).startsWith('image/');
}

function sizeOf(bytes: number): string {
  return `${(bytes / megabyte).toFixed(1).replace('.0', '')} MB`;
}
