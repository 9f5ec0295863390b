import { isPlainObject } from '@loom/blocks';
import type { ImageBlock, PlainObject, RawBlock, Source, TextBlock } from '@loom/blocks';
import { readMedia } from '@loom/blocks/legacy';
import { isList, listAt, textAt } from '../foreign/fields.ts';

/** The content of an item as blocks. `unknown` names the first kind of part that no block type fits. */
export interface ReadParts {
  readonly blocks: (TextBlock | ImageBlock | RawBlock)[];
  readonly unknown?: string;
}

/** Reads content: a list of parts, a single part, or a text. */
export function readParts(content: unknown): ReadParts {
  if (typeof content === 'string') return { blocks: [{ type: 'text', text: content }] };
  const parts = isList(content) ? content : isPlainObject(content) ? [content] : [];
  const blocks: ReadParts['blocks'] = [];
  let unknown: string | undefined;
  for (const part of parts) {
    const block = readPart(part);
    if (block?.type === 'raw' && !sealedTypes.has(textAt(part, 'type') ?? '')) {
      unknown ??= `part ${textAt(part, 'type') ?? 'without a type'}`;
    }
    if (block !== undefined) blocks.push(block);
  }
  return unknown === undefined ? { blocks } : { blocks, unknown };
}

/** Returns the text of content, for comparisons. */
export function wordsOf(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = isList(content) ? content : [];
  return parts.flatMap((part) => textAt(part, 'text') ?? []).join('\n');
}

/** The pages that a text names in its annotations. */
export function citedPages(content: unknown): Source[] {
  const pages = new Map<string, Source>();
  for (const part of isList(content) ? content : []) {
    for (const annotation of listAt(part, 'annotations')) {
      const url = textAt(annotation, 'url');
      if (url !== undefined) pages.set(url, { id: url, url, title: textAt(annotation, 'title') ?? '' });
    }
  }
  return [...pages.values()];
}

/** Parts that are known, but readable for the provider only. */
const sealedTypes: ReadonlySet<string> = new Set(['encrypted_content']);

function readPart(part: unknown): ReadParts['blocks'][number] | undefined {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isPlainObject(part)) return { type: 'raw', source: 'codex', value: part };
  const text = textAt(part, 'text', 'refusal');
  if (text !== undefined) return { type: 'text', text };
  if (isEmptyMedia(part)) return undefined;
  const media = readMedia(part);
  return media === undefined ? { type: 'raw', source: 'codex', value: part } : { type: 'image', ...media };
}

/** Returns true for an image that was taken out of the file. */
function isEmptyMedia(part: PlainObject): boolean {
  return part.type === 'input_image' && (part.image_url === null || part.image_url === undefined);
}
