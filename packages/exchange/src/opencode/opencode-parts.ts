import { isPlainObject } from '@loom/blocks';
import type {
  ErrorBlock,
  ImageBlock,
  MessageBlock,
  PlainObject,
  RawBlock,
  TextBlock,
  ThinkingBlock,
  ToolUseBlock,
} from '@loom/blocks';
import type { NodeSeed } from '@loom/kernel/logs';
import { withReport } from '../foreign/answer.ts';
import type { Answer } from '../foreign/answer.ts';
import { listAt, numberAt, objectAt, textAt } from '../foreign/fields.ts';

/** A part of a message: its content, or its effect on the message. */
export type ReadPart =
  | {
      readonly kind: 'block';
      readonly block: TextBlock | ThinkingBlock | ImageBlock | RawBlock;
      readonly isOwn: boolean;
      readonly unknown?: string;
    }
  | { readonly kind: 'call'; readonly block: ToolUseBlock; readonly part: PlainObject }
  /** The model is asked again within the message. */
  | { readonly kind: 'step' }
  /** Snapshots, patches and the like, which models are not shown. */
  | { readonly kind: 'side' };

export function readPart(part: PlainObject): ReadPart {
  const isOwn = part.synthetic === true;
  switch (part.type) {
    case 'text': {
      const block: TextBlock = { type: 'text', text: textAt(part, 'text') ?? '' };
      return { kind: 'block', block: part.ignored === true ? { ...block, ephemeral: true } : block, isOwn };
    }
    case 'reasoning':
      return {
        kind: 'block',
        block: { type: 'thinking', text: textAt(part, 'text') ?? '', ...providerData(part) },
        isOwn,
      };
    case 'file':
      return { kind: 'block', block: readFile(part), isOwn };
    case 'tool': {
      const state = objectAt(part, 'state');
      const [id, name] = [textAt(part, 'callID', 'id') ?? '', textAt(part, 'tool') ?? ''];
      if (id.trim() === '' || name.trim() === '') break;
      const parameters = objectAt(state, 'input') ?? {};
      return { kind: 'call', block: { type: 'tool-use', id, name, parameters }, part };
    }
    case 'step-start':
      return { kind: 'step' };
    case 'step-finish':
    case 'snapshot':
    case 'patch':
    case 'agent':
    case 'retry':
    case 'compaction':
    case 'subtask':
      return { kind: 'side' };
    default:
      break;
  }
  const block: RawBlock = { type: 'raw', source: 'opencode', value: part };
  return { kind: 'block', block, isOwn, unknown: `part/${textAt(part, 'type') ?? ''}` };
}

/** Returns the result of a call; `undefined` while it runs. `isOver`: its message is done, so that nothing more comes. */
export function answerOf(part: PlainObject, isOver: boolean): Answer | undefined {
  const state = objectAt(part, 'state') ?? {};
  const status = textAt(state, 'status') ?? '';
  const error = textAt(state, 'error');
  const { output: _output, input: _input, attachments: _attachments, ...report } = state;
  if (status === 'error') {
    const text = error ?? '';
    return {
      blocks: withReport([{ type: 'text', text }], 'opencode', report),
      text,
      native: part,
      state: failureOf(text),
    };
  }
  if (status !== 'completed' && status !== 'success') {
    return isOver ? { blocks: [], text: undefined, native: undefined, state: 'interrupted' } : undefined;
  }
  const text = textAt(state, 'output') ?? '';
  const files = listAt(state, 'attachments').filter(isPlainObject).map(readFile);
  return {
    blocks: withReport([{ type: 'text', text }, ...files], 'opencode', report),
    text,
    native: part,
    state: 'result',
  };
}

/** Returns the session of the agent that a call started. */
export function sentOut(part: PlainObject): string | undefined {
  return textAt(objectAt(objectAt(part, 'state'), 'metadata'), 'sessionId', 'sessionID');
}

type ModelSource = Extract<NodeSeed['source'], { type: 'model' }>;

/** Returns the author of a message, the reason it ended and its usage. */
export function sourceOf(info: PlainObject): ModelSource {
  const model = objectAt(info, 'model');
  const source: ModelSource = {
    type: 'model',
    provider: textAt(info, 'providerID') ?? textAt(model, 'providerID') ?? '',
    model_name: textAt(info, 'modelID') ?? textAt(model, 'modelID') ?? '',
    parameters: {},
  };
  const finish = textAt(info, 'finish');
  if (finish !== undefined) source.finish_reason = finish;
  const raw = objectAt(info, 'tokens');
  if (raw === undefined) return source;
  const cache = objectAt(raw, 'cache');
  const [read, written] = [numberAt(cache, 'read') ?? 0, numberAt(cache, 'write') ?? 0];
  const [reasoning, cost] = [numberAt(raw, 'reasoning') ?? 0, numberAt(info, 'cost')];
  source.usage = {
    // Tokens read from or written to the cache, and thoughts, are counted apart.
    input_tokens: (numberAt(raw, 'input') ?? 0) + read + written,
    output_tokens: (numberAt(raw, 'output') ?? 0) + reasoning,
    cached_input_tokens: read,
    cache_write_tokens: written,
    reasoning_tokens: reasoning,
    ...(cost === undefined ? {} : { cost_usd: cost }),
    raw,
  };
  return source;
}

/** Returns the error that ended a message. */
export function errorOf(info: PlainObject): ErrorBlock | undefined {
  const error = objectAt(info, 'error');
  if (error === undefined) return undefined;
  const message = textAt(objectAt(error, 'data'), 'message') ?? textAt(error, 'message') ?? '';
  return { type: 'error', code: textAt(error, 'name') ?? 'error', message };
}

/** Checks that a block may stand in a user message. */
export function isGiven(block: MessageBlock): block is TextBlock | ImageBlock | RawBlock {
  return block.type === 'text' || block.type === 'image' || block.type === 'raw';
}

function failureOf(text: string): Answer['state'] {
  if (/rejected permission|denied|prevents you from using/i.test(text)) return 'denied';
  return /^(?:Tool execution aborted|aborted)/i.test(text) ? 'interrupted' : 'error';
}

function readFile(part: PlainObject): ImageBlock | RawBlock {
  const [url, mime, filename] = [textAt(part, 'url'), textAt(part, 'mime'), textAt(part, 'filename')];
  if (url === undefined || url === '') return { type: 'raw', source: 'opencode', value: part };
  const type = mime !== undefined && /^[^\s/]+\/[^\s/]+$/.test(mime) ? mime : 'application/octet-stream';
  return { type: 'image', media_type: type, url, ...(filename === undefined ? {} : { filename }) };
}

/** opencode keeps the data that a provider wants back under the provider's name, as in the AI SDK. */
function providerData(part: PlainObject): { provider?: PlainObject } {
  const metadata = objectAt(part, 'metadata');
  const known = Object.entries(metadata ?? {}).filter(([, value]) => isPlainObject(value));
  return known.length === 0 ? {} : { provider: Object.fromEntries(known) };
}
