import { cleanText, deniedBlock, isPlainObject } from '@loom/blocks';
import type { PlainObject, TextBlock, ToolBlock, ToolMessage } from '@loom/blocks';
import { toImageBlock } from './file-reading.ts';
import { copyAsJson, stringifyJson } from '../json.ts';
import type { TakeNote } from '../note.ts';
import { addMark, unlessEmpty } from '../sdk-mark.ts';
import type { SdkMark } from '../sdk-mark.ts';

/** The content of a result: the blocks of a tool message, and `is_error` if the call failed. */
export type Outcome = Pick<ToolMessage, 'content' | 'is_error'>;

/** Returns the outcome in an SDK `output`, or `undefined` if it has none. `inline`: the provider ran the tool itself. */
export function readToolOutput(output: unknown, inline: boolean, path: string, take: TakeNote): Outcome | undefined {
  if (!isPlainObject(output)) return undefined;
  const { type, value, reason, ...rest } = output;
  const outputFields = unlessEmpty(rest);
  switch (type) {
    case 'text':
      return typeof value === 'string' ? succeed(value, { outputFields }) : undefined;
    case 'json':
      return succeed(stringifyJson(value), { output: 'json', outputFields });
    case 'error-text':
      return typeof value === 'string'
        ? fail(value, { output: inline ? 'error-text' : undefined, outputFields })
        : undefined;
    case 'error-json':
      return inline && typeof value === 'string'
        ? fail(value, { outputFields })
        : fail(stringifyJson(value), { output: 'error-json', outputFields });
    case 'execution-denied': {
      const block = deniedBlock(typeof reason === 'string' ? cleanText(reason) : undefined);
      return { content: [addMark(block, { outputFields })], is_error: true };
    }
    case 'content':
      return Array.isArray(value) ? readContent(value, path, take) : undefined;
    default:
      return undefined;
  }
}

type OutputMark = { output?: SdkMark['output'] | undefined; outputFields?: PlainObject | undefined };

/** Returns a successful result of one text. An empty text needs no block, unless it has to carry a mark. */
export function succeed(value: string, mark: OutputMark = {}): Outcome {
  return { content: textContent(value, mark) };
}

/** A failed result of one text. */
export function fail(value: string, mark: OutputMark = {}): Outcome {
  return { content: textContent(value, mark), is_error: true };
}

/** The outcome with fields of its result part or message added to the mark of its first block. */
export function markOutcome(outcome: Outcome, fields: Pick<SdkMark, 'result' | 'modelMessage' | 'modelPart'>): Outcome {
  if (Object.keys(fields).length === 0) return outcome;
  const [first = emptyText(), ...others] = outcome.content;
  return { ...outcome, content: [addMark(first, fields), ...others] };
}

function textContent(value: string, mark: OutputMark): ToolBlock[] {
  const block = addMark<TextBlock>({ type: 'text', text: cleanText(value) }, mark);
  return value === '' && block.provider === undefined ? [] : [block];
}

function emptyText(): TextBlock {
  return { type: 'text', text: '' };
}

function readContent(parts: readonly unknown[], path: string, take: TakeNote): Outcome {
  const content = parts.map((part, index) => readContentPart(part, `${path}.output.value[${index}]`, take));
  const [only] = content;
  const single = content.length === 1 && only?.type === 'text';
  return { content: single ? [addMark(only, { output: 'content' })] : content };
}

function readContentPart(part: unknown, path: string, take: TakeNote): ToolBlock {
  const block = isPlainObject(part) ? contentBlock(part) : undefined;
  if (block !== undefined) return block;
  take({ reason: 'kept-raw', path, message: 'A piece of a result that Loom has no block for was kept as raw.' });
  return { type: 'raw', source: 'ai-sdk', value: copyAsJson(part) };
}

/** The SDK still accepts half a dozen older spellings of a file; all are read, only `file` is written. */
function contentBlock(part: PlainObject): ToolBlock | undefined {
  const { type, text, data, mediaType, filename, url, fileId, providerReference, ...rest } = part;
  const modelPart = unlessEmpty(rest);
  if (type === 'text') {
    return typeof text === 'string'
      ? addMark<TextBlock>({ type: 'text', text: cleanText(text) }, { modelPart })
      : undefined;
  }
  const sources: PlainObject = {
    file: data,
    'file-data': data,
    'image-data': data,
    'file-url': { type: 'url', url },
    'image-url': { type: 'url', url },
    'file-id': fileId,
    'image-file-id': fileId,
    'file-reference': providerReference,
    'image-file-reference': providerReference,
  };
  // A bare id does not name its provider, so it could never be sent.
  if (
    typeof type !== 'string' ||
    !Object.hasOwn(sources, type) ||
    (type.endsWith('file-id') && typeof fileId === 'string')
  ) {
    return undefined;
  }
  const block = toImageBlock({
    mediaType: typeof mediaType === 'string' ? mediaType : type.startsWith('image-') ? 'image' : 'application',
    data: sources[type],
    filename: typeof filename === 'string' ? filename : undefined,
  });
  return block && addMark(block, { modelPart });
}
