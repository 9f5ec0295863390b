import type { ImageBlock, ModelBlock, PlainObject } from '@loom/blocks';
import { interruptedText } from '@loom/blocks';
import { apiName, CallNames } from '../call-names.ts';
import { describeFile, fileData } from '../file-data.ts';
import type { FileData } from '../file-data.ts';
import type { ExportSource } from '../source.ts';
import { openCalls } from '../spoken-path.ts';
import type { SpokenMessage } from '../spoken-path.ts';

/**
 * Writes messages of chat completions, in OpenAI's own shapes and nothing beside them: data of other vendors and programs stays in Loom. The format
 * has no place for thoughts; only users may send images and files, so those of a tool come in a user message after the results.
 */
export async function openaiMessages(spoken: readonly SpokenMessage[], source: ExportSource): Promise<PlainObject[]> {
  const calls = new CallNames(longestId);
  const messages: PlainObject[] = [];
  let shown: PlainObject[] = [];
  const flush = (): void => {
    if (shown.length > 0) messages.push({ role: 'user', content: shown });
    shown = [];
  };
  for (const [index, message] of spoken.entries()) {
    const blocks = message.blocks.map(({ block }) => block);
    if (message.node.role === 'tool') {
      const { content, files } = await toolContent(blocks, source);
      messages.push({ role: 'tool', tool_call_id: calls.answer(message), content });
      shown.push(...files);
      continue;
    }
    flush();
    const written = message.node.role === 'user' ? await userMessage(blocks, source) : answer(blocks, calls);
    if (written !== undefined) messages.push(written);
    for (const id of openCalls(spoken, index))
      messages.push({ role: 'tool', tool_call_id: calls.last(id), content: interruptedText });
  }
  flush();
  return messages;
}

/** The longest id of a call that the API takes. */
const longestId = 40;

async function userMessage(blocks: readonly ModelBlock[], source: ExportSource): Promise<PlainObject | undefined> {
  const parts: PlainObject[] = [];
  for (const block of blocks) {
    if (block.type === 'text') parts.push(textPart(block.text));
    else if (block.type === 'image') parts.push(await filePart(block, source));
  }
  const content = plain(parts);
  return content === undefined ? undefined : { role: 'user', content };
}

/** Texts come before calls in this format, whatever their original order. */
function answer(blocks: readonly ModelBlock[], calls: CallNames): PlainObject | undefined {
  const texts: PlainObject[] = [];
  const tool_calls: PlainObject[] = [];
  for (const block of blocks) {
    if (block.type === 'text') texts.push(textPart(block.text));
    else if (block.type === 'image') texts.push(textPart(`(${describeFile(block)})`));
    else if (block.type === 'tool-use') {
      const called = { name: apiName(block.name), arguments: block.arguments ?? JSON.stringify(block.parameters) };
      tool_calls.push({ id: calls.call(block.id), type: 'function', function: called });
    }
  }
  const content = plain(texts);
  if (tool_calls.length > 0) return { role: 'assistant', content: content ?? null, tool_calls };
  return content === undefined ? undefined : { role: 'assistant', content };
}

/** Returns a tool's texts, and its files separately: a tool message takes only texts. */
async function toolContent(
  blocks: readonly ModelBlock[],
  source: ExportSource,
): Promise<{ content: string | PlainObject[]; files: PlainObject[] }> {
  const texts: PlainObject[] = [];
  const files: PlainObject[] = [];
  for (const block of blocks) {
    if (block.type === 'text') texts.push(textPart(block.text));
    if (block.type !== 'image') continue;
    texts.push(textPart(`(${describeFile(block)})`));
    const part = await filePart(block, source);
    if (part['type'] !== 'text') files.push(part);
  }
  return { content: plain(texts) ?? '', files };
}

/** One text is a string, more are parts; `undefined` for none. */
function plain(parts: readonly PlainObject[]): string | PlainObject[] | undefined {
  const [only, second] = parts;
  if (only === undefined) return undefined;
  return second === undefined && typeof only['text'] === 'string' ? only['text'] : [...parts];
}

function textPart(text: string): PlainObject {
  return { type: 'text', text };
}

async function filePart(block: ImageBlock, source: ExportSource): Promise<PlainObject> {
  const data = await fileData(block, source);
  return (data === undefined ? undefined : partOf(block, data)) ?? textPart(`(${describeFile(block)})`);
}

/** Returns a file in the API's form: images by address or whole, sounds and documents whole. */
function partOf({ media_type: media, filename }: ImageBlock, data: FileData): PlainObject | undefined {
  if (media.startsWith('image/')) {
    const url = 'url' in data ? data.url : dataUrl(media, data.base64);
    return URL.canParse(url) ? { type: 'image_url', image_url: { url } } : undefined;
  }
  if ('url' in data) return undefined;
  const format = sounds.get(media);
  if (format !== undefined) return { type: 'input_audio', input_audio: { data: data.base64, format } };
  return {
    type: 'file',
    file: { file_data: dataUrl(media, data.base64), ...(filename === undefined ? {} : { filename }) },
  };
}

function dataUrl(media: string, base64: string): string {
  return `data:${media};base64,${base64}`;
}

const sounds = new Map([
  ['audio/wav', 'wav'],
  ['audio/x-wav', 'wav'],
  ['audio/mpeg', 'mp3'],
  ['audio/mp3', 'mp3'],
]);
