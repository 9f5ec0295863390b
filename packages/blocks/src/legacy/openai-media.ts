import { cleanText } from '../text/clean-text.ts';
import type { ImageBlock } from '../content-block.ts';
import { isPlainObject } from '../values/plain-object.ts';
import type { PlainObject } from '../values/plain-object.ts';

/** The content of a media part: the place of the file and its known properties. */
type Media = Pick<ImageBlock, 'media_type' | 'url' | 'filename'>;

/**
 * The image block of a part that holds or names a file, in the spellings of OpenAI, Anthropic, Gemini, Bedrock, Mistral
 * and LangChain; `undefined` if the part names no file that could be opened outside its provider.
 */
export function readMedia(part: PlainObject): Media | undefined {
  const read = readers.get(typeof part['type'] === 'string' ? part['type'].toLowerCase() : '');
  return read === undefined ? readUntyped(part) : read(part);
}

const readers = new Map<string, (part: PlainObject) => Media | undefined>(
  Object.entries({
    image_url: (part) => fromUrl(urlOf(part['image_url']) ?? part['url'], 'image/*'),
    input_image: (part) => fromUrl(urlOf(part['image_url']), 'image/*'),
    image: (part) => fromAny(part, 'image', 'image/*'),
    document: (part) => fromAny(part, 'document', 'application/pdf', part['title']),
    document_url: (part) => fromUrl(urlOf(part['document_url']), 'application/pdf', part['document_name']),
    video: (part) => fromAny(part, 'video', 'video/*'),
    video_url: (part) => fromUrl(urlOf(part['video_url']), 'video/*'),
    input_video: (part) => fromUrl(urlOf(part['video_url']), 'video/*'),
    audio: (part) => fromAny(part, 'audio', 'audio/*'),
    audio_url: (part) => fromUrl(urlOf(part['audio_url']), 'audio/*'),
    input_audio: (part) => fromAudio(part['input_audio']) ?? fromUrl(urlOf(part['audio_url']), 'audio/*'),
    file: (part) => fromFile(isPlainObject(part['file']) ? part['file'] : part),
    file_url: (part) => fromUrl(urlOf(part['file_url']), 'application/octet-stream'),
    input_file: (part) => fromFile(part),
    media: (part) => fromReference(part) ?? fromInline(part, 'application/octet-stream'),
  }),
);

/** A part that names its kind: the file is in its source, its data, or at an address under one of several names. */
function fromAny(part: PlainObject, kind: string, fallback: string, name?: unknown): Media | undefined {
  const { source } = part;
  const address = urlOf(part[kind]) ?? urlOf(part[`${kind}_url`]) ?? part['url'] ?? urlOf(source);
  return (
    (isPlainObject(source) ? fromSource(source, fallback, name) : undefined) ??
    fromInline(part, fallback, name) ??
    fromUrl(address, mediaTypeOf(part) ?? fallback, name)
  );
}

/** Gemini's address of a file. */
function fromReference(file: PlainObject): Media | undefined {
  return fromUrl(file['fileUri'] ?? file['file_uri'], mediaTypeOf(file) ?? 'application/octet-stream');
}

function fromAudio(audio: unknown): Media | undefined {
  if (!isPlainObject(audio)) return undefined;
  const address = fromUrl(audio['url'], 'audio/*');
  return (
    address ?? fromInline({ data: audio['data'], mime_type: `audio/${textOf(audio['format']) ?? '*'}` }, 'audio/*')
  );
}

function fromFile(file: PlainObject): Media | undefined {
  const name = file['filename'];
  const format = textOf(file['format']) ?? textOf(file['mime_type']) ?? 'application/octet-stream';
  const data = textOf(file['file_data']);
  if (data !== undefined) {
    return data.startsWith('data:')
      ? fromUrl(data, format, name)
      : fromInline({ data, mime_type: format }, format, name);
  }
  // Some gateways put an address where the id of an uploaded file belongs. A real id means nothing outside its account.
  const id = textOf(file['file_id']) ?? textOf(file['file_url']) ?? textOf(file['url']);
  if (id !== undefined && isAddress(id)) return fromUrl(id, format, name);
  return fromInline(file, format, name);
}

/** Gemini's `inlineData` and `fileData`, Bedrock's `image`, `document`, `video` and `audio`, and addresses under these names. */
function readUntyped(part: PlainObject): Media | undefined {
  const inline = part['inlineData'] ?? part['inline_data'];
  if (isPlainObject(inline)) return fromInline(inline, 'application/octet-stream');
  const file = part['fileData'] ?? part['file_data'];
  if (isPlainObject(file)) return fromReference(file);
  for (const [kind, family] of untypedKinds) {
    const media =
      fromBedrock(part[kind], family) ?? fromAddress(urlOf(part[kind]) ?? urlOf(part[`${kind}_url`]), family);
    if (media !== undefined) return media;
  }
  return undefined;
}

const untypedKinds = [
  ['image', 'image'],
  ['document', 'application'],
  ['video', 'video'],
  ['audio', 'audio'],
] as const;

function fromBedrock(file: unknown, family: string): Media | undefined {
  if (!isPlainObject(file) || !isPlainObject(file['source'])) return undefined;
  const { source, format, name } = file;
  const mediaType = `${family}/${textOf(format) ?? '*'}`;
  const stored = isPlainObject(source['s3Location']) ? source['s3Location']['uri'] : undefined;
  const inline = fromInline({ data: source['bytes'], mime_type: mediaType }, mediaType, name);
  return inline ?? fromUrl(stored, mediaType, name);
}

/** Takes a text for an address only if it looks like one, in a part without a type. */
function fromAddress(address: string | undefined, family: string): Media | undefined {
  return address !== undefined && isAddress(address) ? fromUrl(address, `${family}/*`) : undefined;
}

function isAddress(text: string): boolean {
  return /^(?:data:|[a-z][a-z\d+.-]*:\/\/)/i.test(text);
}

/** Anthropic's `source`: base64 data, a text, or an address. */
function fromSource(source: PlainObject, fallback: string, name?: unknown): Media | undefined {
  const text = source['type'] === 'text' ? textOf(source['data']) : undefined;
  if (text !== undefined) {
    const mediaType = mediaTypeOf(source) ?? 'text/plain';
    return { media_type: mediaType, url: `data:${mediaType},${encodeURIComponent(text)}`, ...filename(name) };
  }
  return fromInline(source, fallback, name) ?? fromUrl(source['url'], mediaTypeOf(source) ?? fallback, name);
}

/** Base64 under any of its names. */
function fromInline(holder: PlainObject, fallback: string, name?: unknown): Media | undefined {
  const data = textOf(holder['data']) ?? textOf(holder['base64']);
  if (data === undefined) return undefined;
  const mediaType = mediaTypeOf(holder) ?? fallback;
  return { media_type: mediaType, url: `data:${mediaType};base64,${data}`, ...filename(name) };
}

function fromUrl(url: unknown, fallback: string, name?: unknown): Media | undefined {
  const address = textOf(url);
  if (address === undefined) return undefined;
  return { media_type: mediaTypeFromUrl(address) ?? fallback, url: address, ...filename(name) };
}

function mediaTypeFromUrl(url: string): string | undefined {
  const inline = /^data:([^\s/;,]+\/[^\s/;,]+)/i.exec(url.slice(0, 200));
  if (inline) return inline[1];
  const extension = /\.([a-z\d]{2,4})(?:[?#].*)?$/i.exec(url.slice(-300))?.[1]?.toLowerCase();
  return extension === undefined ? undefined : mediaTypes.get(extension);
}

const mediaTypes = new Map(
  Object.entries({
    png: 'image/png',
    jpg: 'image/jpeg',
    jpeg: 'image/jpeg',
    gif: 'image/gif',
    webp: 'image/webp',
    svg: 'image/svg+xml',
    pdf: 'application/pdf',
    mp3: 'audio/mpeg',
    wav: 'audio/wav',
    ogg: 'audio/ogg',
    mp4: 'video/mp4',
    webm: 'video/webm',
    txt: 'text/plain',
  }),
);

function mediaTypeOf(holder: PlainObject): string | undefined {
  const named = textOf(holder['media_type']) ?? textOf(holder['mime_type']) ?? textOf(holder['mimeType']);
  return named !== undefined && /^[^\s/]+\/[^\s/]+$/.test(named) ? named : undefined;
}

function urlOf(value: unknown): string | undefined {
  return textOf(isPlainObject(value) ? value['url'] : value);
}

function filename(name: unknown): { filename?: string } {
  const text = textOf(name);
  return text === undefined ? {} : { filename: text };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? cleanText(value) : undefined;
}
