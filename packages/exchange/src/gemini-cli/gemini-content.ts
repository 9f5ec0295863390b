import { isPlainObject } from '@loom/blocks';
import type { ImageBlock, PlainObject, RawBlock, TextBlock, ThinkingBlock } from '@loom/blocks';
import { readMedia } from '@loom/blocks/legacy';
import type { NodeSeed } from '@loom/kernel/logs';
import type { Answer } from '../foreign/answer.ts';
import { withReport } from '../foreign/answer.ts';
import { isList, listAt, numberAt, objectAt, textAt } from '../foreign/fields.ts';

type Block = TextBlock | ImageBlock | RawBlock;

/** The content of a message, and the tool responses in it. */
export interface ReadContent {
  readonly blocks: Block[];
  /** `functionResponse` parts: the results of calls as the model was shown them. */
  readonly responses: PlainObject[];
  /** The first kind of part that no block type fits. */
  readonly unknown?: string;
}

/** Content is a text, a part, or a list of parts. */
export function readContent(content: unknown): ReadContent {
  if (typeof content === 'string')
    return { blocks: content === '' ? [] : [{ type: 'text', text: content }], responses: [] };
  const blocks: Block[] = [];
  const responses: PlainObject[] = [];
  let unknown: string | undefined;
  for (const part of isList(content) ? content : isPlainObject(content) ? [content] : []) {
    const response = objectAt(part, 'functionResponse');
    if (response !== undefined) {
      responses.push(response);
      continue;
    }
    // Calls are in `toolCalls` too, with their results.
    if (objectAt(part, 'functionCall') !== undefined) continue;
    const block = readPart(part);
    if (block.type === 'raw')
      unknown ??= `part ${isPlainObject(part) ? Object.keys(part).slice(0, 3).join('+') : typeof part}`;
    blocks.push(block);
  }
  return unknown === undefined ? { blocks, responses } : { blocks, responses, unknown };
}

/** The CLI splits each thought into a heading and the rest. */
export function readThoughts(thoughts: readonly unknown[]): ThinkingBlock[] {
  return thoughts.flatMap((thought) => {
    const [subject, description] = [textAt(thought, 'subject') ?? '', textAt(thought, 'description', 'text') ?? ''];
    const heading = subject === '' ? [] : [`**${subject}**`];
    const text = [...heading, ...(description === '' ? [] : [description])].join('\n\n');
    return text === '' ? [] : [{ type: 'thinking', text }];
  });
}

type ModelSource = Extract<NodeSeed['source'], { type: 'model' }>;

export function sourceOf(message: PlainObject): ModelSource {
  const source: ModelSource = {
    type: 'model',
    provider: 'google',
    model_name: textAt(message, 'model') ?? '',
    parameters: {},
  };
  const raw = objectAt(message, 'tokens');
  if (raw === undefined) return source;
  const thoughts = numberAt(raw, 'thoughts') ?? 0;
  source.usage = {
    input_tokens: numberAt(raw, 'input') ?? 0,
    // Thoughts are counted apart from the output.
    output_tokens: (numberAt(raw, 'output') ?? 0) + thoughts,
    cached_input_tokens: numberAt(raw, 'cached') ?? 0,
    reasoning_tokens: thoughts,
    raw,
  };
  return source;
}

/** Returns the result of a call; `undefined` before it has one. */
export function answerOf(call: PlainObject): Answer | undefined {
  const parts = isList(call.result)
    ? call.result
    : call.result === undefined || call.result === null
      ? []
      : [call.result];
  const status = textAt(call, 'status') ?? '';
  if (parts.length === 0 && !endedStatuses.has(status)) return undefined;
  const blocks = parts.flatMap((part) => {
    const response = objectAt(part, 'functionResponse');
    return response === undefined ? readContent(part).blocks : blocksOfResponse(response);
  });
  const { result: _result, ...report } = call;
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  const text = texts.length === 0 ? undefined : texts.join('\n');
  return { blocks: withReport(blocks, 'gemini-cli', report), text, native: call, state: stateOf(status, text) };
}

/** Returns the result that the model was shown, for calls that do not carry it themselves. */
export function answerOfResponse(response: PlainObject): Answer {
  const blocks = blocksOfResponse(response);
  const isError = objectAt(response, 'response')?.error !== undefined;
  const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
  return { blocks, text, native: undefined, state: isError ? stateOf('error', text) : 'result' };
}

const endedStatuses: ReadonlySet<string> = new Set(['success', 'error', 'cancelled']);

function stateOf(status: string, text: string | undefined): Answer['state'] {
  if (status === 'cancelled') return /did not allow|denied|rejected/i.test(text ?? '') ? 'denied' : 'interrupted';
  if (status !== 'error') return 'result';
  return /denied by policy|rejected by user|User denied/i.test(text ?? '') ? 'denied' : 'error';
}

/** Reads a response: usually `{output}` or `{error}`; anything else is shown to the model verbatim. */
function blocksOfResponse(functionResponse: PlainObject): Block[] {
  const response = objectAt(functionResponse, 'response');
  const text = textAt(response, 'output', 'error', 'content');
  const media = listAt(functionResponse, 'parts').map(readPart);
  if (text !== undefined) return [{ type: 'text', text }, ...media];
  return [...(response === undefined ? [] : [{ type: 'text', text: JSON.stringify(response) } as const]), ...media];
}

function readPart(part: unknown): Block {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isPlainObject(part)) return { type: 'raw', source: 'gemini-cli', value: part };
  const text = textAt(part, 'text');
  if (text !== undefined) return { type: 'text', text };
  const media = readMedia(part);
  return media === undefined ? { type: 'raw', source: 'gemini-cli', value: part } : { type: 'image', ...media };
}
