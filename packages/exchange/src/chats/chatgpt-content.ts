import { isPlainObject } from '@loom/blocks';
import type { ImageBlock, MessageBlock, PlainObject } from '@loom/blocks';
import { listIn, textIn } from '../foreign/fields.ts';
import { objectOf, pagesBlock, rawBlock } from './fields.ts';

/** The bytes of a file that an export names, if it holds them. */
export type FindFile = (id: string) => Promise<{ name: string; bytes: Uint8Array } | undefined>;

/** The blocks of a message, and the kind of the first part that is unknown. */
export interface ReadContent {
  readonly blocks: MessageBlock[];
  readonly unknown?: string;
}

/** Reads the content of a message of ChatGPT. */
export async function readContent(content: PlainObject, findFile: FindFile): Promise<ReadContent> {
  const type = textIn(content['content_type']) ?? 'text';
  const parts = listIn(content['parts']);
  const text = textIn(content['text']) ?? parts.filter((part) => typeof part === 'string').join('\n');
  switch (type) {
    case 'text':
    case 'multimodal_text':
      return readParts(parts.length === 0 ? [content['text']] : parts, findFile);
    case 'code': {
      const language = textIn(content['language']);
      const known = language === undefined || language === 'unknown' ? {} : { language };
      return { blocks: text === '' ? [] : [{ type: 'code', content: text, ...known }] };
    }
    case 'execution_output':
      return { blocks: texts(text) };
    case 'thoughts':
      return { blocks: readThoughts(listIn(content['thoughts']), text) };
    case 'reasoning_recap':
      return { blocks: thoughts(textIn(content['content']) ?? text) };
    case 'tether_quote':
      return { blocks: [...texts(text), ...pagesBlock([content])] };
    case 'tether_browsing_display':
      return { blocks: texts(textIn(content['result']) ?? textIn(content['summary']) ?? text) };
    case 'user_editable_context': {
      const fields = [content['user_profile'], content['user_instructions']].flatMap((field) => textIn(field) ?? []);
      return { blocks: texts(fields.length === 0 ? text : fields.join('\n\n')) };
    }
    case 'model_editable_context':
      return { blocks: texts(textIn(content['model_set_context']) ?? text) };
    case 'system_error': {
      const code = textIn(content['name']) ?? 'system_error';
      return { blocks: [{ type: 'error', code, message: text }, ...texts(text)] };
    }
    default:
      return { blocks: readUnknown(content, text), unknown: type };
  }
}

/** An unknown kind keeps its text in the same field as other kinds; the rest is kept unchanged. */
function readUnknown(content: PlainObject, text: string): MessageBlock[] {
  const { text: _text, result, parts, ...rest } = content;
  const words = text === '' ? (textIn(result) ?? '') : text;
  if (words === '') return [rawBlock('chatgpt', content)];
  const others = listIn(parts).filter((part) => typeof part !== 'string');
  return [...texts(words), rawBlock('chatgpt', others.length === 0 ? rest : { ...rest, parts: others })];
}

async function readParts(parts: readonly unknown[], findFile: FindFile): Promise<ReadContent> {
  const blocks: MessageBlock[] = [];
  let unknown: string | undefined;
  for (const part of parts) {
    if (typeof part === 'string') blocks.push(...texts(part));
    else if (isPlainObject(part)) {
      const block = await readPart(part, findFile);
      if (block === undefined) unknown ??= textIn(part['content_type']) ?? 'part';
      blocks.push(block ?? rawBlock('chatgpt', part));
    }
  }
  return unknown === undefined ? { blocks } : { blocks, unknown };
}

async function readPart(part: PlainObject, findFile: FindFile): Promise<MessageBlock | undefined> {
  switch (part['content_type']) {
    case 'text':
    case 'audio_transcription': {
      const text = textIn(part['text']);
      return text === undefined ? undefined : { type: 'text', text };
    }
    case 'image_asset_pointer':
      return readPicture(part, findFile);
    default:
      return undefined;
  }
}

/** Returns an image that the export holds; else a raw part, which names it. */
async function readPicture(part: PlainObject, findFile: FindFile): Promise<ImageBlock | undefined> {
  const id = assetOf(part);
  const file = id === '' ? undefined : await findFile(id);
  return file === undefined ? undefined : fileBlock(file, mediaTypeOf(file.bytes) ?? 'application/octet-stream');
}

/**
 * Returns the files that the user attached, beside the images in the message: their bytes, if the export has them and models take such, else their
 * names.
 */
export async function readAttachments(
  attachments: readonly unknown[],
  content: PlainObject,
  findFile: FindFile,
): Promise<MessageBlock[]> {
  const shown = new Set(listIn(content['parts']).map((part) => assetOf(objectOf(part))));
  const blocks: MessageBlock[] = [];
  for (const attachment of attachments) {
    const { id, name } = objectOf(attachment);
    const asset = textIn(id) ?? '';
    if (textIn(name) === undefined || shown.has(asset)) continue;
    const file = asset === '' ? undefined : await findFile(asset);
    const mediaType = file === undefined ? undefined : mediaTypeOf(file.bytes);
    blocks.push(
      file === undefined || mediaType === undefined
        ? rawBlock('chatgpt-file', attachment)
        : fileBlock({ ...file, name: textIn(name) ?? file.name }, mediaType),
    );
  }
  return blocks;
}

/** Returns the export's name of the file that a part points to. */
function assetOf(part: PlainObject): string {
  return textIn(part['asset_pointer'])?.split('://').at(-1) ?? '';
}

function fileBlock({ bytes, name }: { bytes: Uint8Array; name: string }, mediaType: string): ImageBlock {
  const url = `data:${mediaType};base64,${Buffer.from(bytes).toString('base64')}`;
  return { type: 'image', media_type: mediaType, url, filename: name };
}

/** Returns the media type of an image by its first bytes. */
function mediaTypeOf(bytes: Uint8Array): string | undefined {
  const beginning = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (beginning.startsWith('\u0089PNG')) return 'image/png';
  if (beginning.startsWith('\u00ff\u00d8\u00ff')) return 'image/jpeg';
  if (beginning.startsWith('GIF8')) return 'image/gif';
  if (beginning.startsWith('RIFF') && beginning.slice(8) === 'WEBP') return 'image/webp';
  return beginning.startsWith('%PDF') ? 'application/pdf' : undefined;
}

function readThoughts(given: readonly unknown[], text: string): MessageBlock[] {
  const found = given.flatMap((thought) => {
    const { summary, content } = objectOf(thought);
    return thoughts([textIn(summary), textIn(content)].filter((part) => part !== undefined).join('\n\n'));
  });
  return found.length > 0 ? found : thoughts(text);
}

function texts(text: string): MessageBlock[] {
  return text === '' ? [] : [{ type: 'text', text }];
}

function thoughts(text: string): MessageBlock[] {
  return text === '' ? [] : [{ type: 'thinking', text }];
}
