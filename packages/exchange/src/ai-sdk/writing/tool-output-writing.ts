import { blocksShownToModel, denialReason, isDenied } from '@loom/blocks';
import type { ImageBlock, ModelBlock, TextBlock, ToolMessage } from '@loom/blocks';
import { parseJson } from '../json.ts';
import { placeholder, toFilePart } from './file-writing.ts';
import type { FilePort } from './file-writing.ts';
import type { FilePart, TextPart, ToolResultOutput } from '../model-message.ts';
import { optionsField } from '../provider-options.ts';
import { readMark } from '../sdk-mark.ts';

/**
 * Writes the `output` of a result. One text is `text` (or the JSON it came as), several blocks or a file are `content`, none is the empty text; a
 * failed result is `error-text`, a denied one `execution-denied`. `inline` results come from tools that the provider ran; their failures are
 * `error-json`, as in the SDK.
 */
export async function writeToolOutput(
  message: ToolMessage,
  inline: boolean,
  path: string,
  port: FilePort,
): Promise<ToolResultOutput> {
  const mark = readMark(message.content[0]);
  const options = optionsField(mark.outputFields?.['providerOptions']);
  if (isDenied(message)) {
    const reason = denialReason(message);
    return { type: 'execution-denied', ...(reason === undefined ? {} : { reason }), ...options };
  }
  const shown = blocksShownToModel(message).filter(isTextOrImage);
  if (message.is_error === true) {
    const value = shown.map((block) => errorText(block, path, port)).join('\n');
    const json = mark.output === 'error-json' ? parseJson(value) : undefined;
    if (json !== undefined) return { type: 'error-json', value: json, ...options };
    return { type: inline && mark.output !== 'error-text' ? 'error-json' : 'error-text', value, ...options };
  }
  const [first, ...others] = shown;
  if (first === undefined) return { type: 'text', value: '', ...options };
  if (first.type === 'text' && others.length === 0 && mark.output !== 'content') {
    const json = mark.output === 'json' ? parseJson(first.text) : undefined;
    return json === undefined
      ? { type: 'text', value: first.text, ...options }
      : { type: 'json', value: json, ...options };
  }
  const value: (TextPart | FilePart)[] = [];
  for (const block of shown) value.push(await writeContent(block, path, port));
  return { type: 'content', value };
}

/** A piece of a `content` output. Provider data of result blocks is the native payload, so it is not sent. */
async function writeContent(block: TextBlock | ImageBlock, path: string, port: FilePort): Promise<TextPart | FilePart> {
  const options = optionsField(readMark(block).modelPart?.['providerOptions']);
  if (block.type === 'text') return { type: 'text', text: block.text, ...options };
  const { providerOptions: _native, ...file } = await toFilePart(block, path, port);
  return { ...file, ...options };
}

function errorText(block: TextBlock | ImageBlock, path: string, port: FilePort): string {
  if (block.type === 'text') return block.text;
  const text = placeholder(block);
  port.take({ reason: 'file-in-error', path, message: `${text} was sent: a failed result can hold only text.` });
  return text;
}

function isTextOrImage(block: ModelBlock): block is TextBlock | ImageBlock {
  return block.type === 'text' || block.type === 'image';
}
