import { beginningOf, encodeUtf8, endOf, renderOutput, utf8Length } from '@loom/blocks';
import type { BlobReference, LongOutput, MessageBlock, PlainObject } from '@loom/blocks';
import type { BlobPort } from '../../blob-port.ts';
import { largestInline } from './long-output.ts';
import { previewLength, tailLength } from './output-bytes.ts';

type Blobs = Pick<BlobPort, 'put'>;

/** Texts of more bytes than this are kept as blobs; output and native payloads from `largestInline` on. */
const largestText = 1024 * 1024;

/** The part of a text that stays to be read at once, in UTF-16 units. */
const textPreview = 32 * 1024;

/**
 * Returns a block whose large parts are blobs, with their beginning in their place; the same block if it has none. Data that
 * a provider wants back byte for byte stays as it is: only results have native payloads that are merely kept.
 */
export async function outsourceLarge(
  block: MessageBlock,
  role: 'assistant' | 'tool',
  blobs: Blobs,
): Promise<MessageBlock> {
  const content = await outsourceContent(block, blobs);
  if (role === 'assistant' || content.provider === undefined) return content;
  const provider = await outsourcePayloads(content.provider, blobs);
  return provider === content.provider ? content : { ...content, provider };
}

async function outsourceContent(block: MessageBlock, blobs: Blobs): Promise<MessageBlock> {
  switch (block.type) {
    case 'text': {
      const whole = await outsource(block.text, largestText, textPreview, blobs);
      return whole === undefined ? block : { ...block, text: renderOutput(whole), ...pointTo(block, whole) };
    }
    case 'code': {
      const whole = await outsource(block.content, largestText, textPreview, blobs);
      return whole === undefined ? block : { ...block, content: renderOutput(whole), ...pointTo(block, whole) };
    }
    case 'command': {
      const stdout = await outsourceOutput(block.stdout, blobs);
      const stderr = await outsourceOutput(block.stderr, blobs);
      if (stdout === block.stdout && stderr === block.stderr) return block;
      return {
        ...block,
        ...(stdout === undefined ? {} : { stdout }),
        ...(stderr === undefined ? {} : { stderr }),
      };
    }
    case 'raw': {
      const value = await outsourceJson(block.value, blobs);
      return value === undefined ? block : { ...block, value };
    }
    default:
      return block;
  }
}

/** Points to the whole of a text: its own words do so too, but they can be edited. */
function pointTo({ metadata }: MessageBlock, { blob, bytes }: BlobReference): { metadata: PlainObject } {
  return { metadata: { ...metadata, whole: { blob, bytes } } };
}

async function outsourceOutput(
  output: string | LongOutput | undefined,
  blobs: Blobs,
): Promise<string | LongOutput | undefined> {
  if (typeof output !== 'string') return output;
  const whole = await outsource(output, largestInline, previewLength, blobs);
  return whole === undefined ? output : { ...whole, tail: endOf(output, tailLength) };
}

async function outsourcePayloads(payloads: PlainObject, blobs: Blobs): Promise<PlainObject> {
  const large: PlainObject = {};
  for (const [provider, payload] of Object.entries(payloads)) {
    const reference = await outsourceJson(payload, blobs);
    if (reference !== undefined) large[provider] = reference;
  }
  return Object.keys(large).length === 0 ? payloads : { ...payloads, ...large };
}

async function outsourceJson(value: unknown, blobs: Blobs): Promise<BlobReference | undefined> {
  if (roomLeft(value, largestInline) >= 0) return undefined;
  return outsource(JSON.stringify(value), largestInline, previewLength, blobs);
}

/**
 * Returns the bytes left behind a value, counted generously: nearly all values are far below the limit, and need not be
 * written out to know. Negative if it may be too long.
 */
function roomLeft(value: unknown, bytes: number): number {
  if (typeof value === 'string') return bytes - value.length * longestEscape - 2;
  if (typeof value !== 'object' || value === null) return bytes - longestPlainValue;
  let left = bytes - 2;
  for (const [key, inner] of Object.entries(value)) {
    if (left < 0) return left;
    left = roomLeft(inner, left - (Array.isArray(value) ? 1 : key.length * longestEscape + 4));
  }
  return left;
}

/** `\u001b`: one unit of a text that is written in six bytes. */
const longestEscape = 6;
/** A number with all its digits; nothing else that is not a text or made of others is as long. */
const longestPlainValue = 25;

async function outsource(
  text: string,
  largest: number,
  preview: number,
  blobs: Blobs,
): Promise<BlobReference | undefined> {
  // No unit takes more than three bytes, and nearly all texts are far below.
  if (text.length * 3 <= largest || (text.length <= largest && utf8Length(text) <= largest)) return undefined;
  const bytes = encodeUtf8(text);
  return { blob: await blobs.put(bytes), bytes: bytes.length, preview: beginningOf(text, preview) };
}
