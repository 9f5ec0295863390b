import { isPlainObject } from '@loom/blocks';
import type { AssistantBlock, PlainObject, ThinkingBlock, ToolBlock, ToolUseBlock } from '@loom/blocks';
import { imageOfBase64 } from '@loom/blocks/views';
import { listAt, objectAt, textAt } from '../foreign/fields.ts';
import { readArguments } from '../foreign/tool-arguments.ts';
import { readParts } from './parts.ts';
import { ownData } from './thread-writer.ts';
import type { Answer } from '../foreign/answer.ts';

/** Hand-made files leave the type out. */
export function typeOfItem(item: PlainObject): string | undefined {
  const type = textAt(item, 'type');
  if (type !== undefined) return type;
  if (textAt(item, 'role') !== undefined) return 'message';
  if (textAt(item, 'call_id') === undefined) return undefined;
  if (item.output !== undefined) return 'function_call_output';
  return textAt(item, 'name') === undefined ? undefined : 'function_call';
}

/** Reads a thought: one block for each part of its summary, as the live provider keeps it; the part that only OpenAI can read goes with the last. */
export function readReasoning(item: PlainObject): ThinkingBlock[] {
  const texts = [...listAt(item, 'summary'), ...listAt(item, 'content')].flatMap((part) => textAt(part, 'text') ?? []);
  const [itemId, sealed] = [textAt(item, 'id'), textAt(item, 'encrypted_content')];
  if (texts.length === 0) texts.push('');
  return texts.map((text, index) => ({
    type: 'thinking',
    text,
    ...ownData({ itemId, reasoningEncryptedContent: index === texts.length - 1 ? sealed : undefined }),
  }));
}

/** A call as a block, and its parameters in the form that views want. */
export interface ReadCall {
  readonly block: ToolUseBlock;
  readonly parameters: unknown;
}

/** Returns the call of a tool that Codex runs; `undefined` if the item is something else. */
export function readCall(type: string, item: PlainObject, fallbackId: string): ReadCall | undefined {
  const id = nonBlank(textAt(item, 'call_id')) ?? nonBlank(textAt(item, 'id')) ?? fallbackId;
  const name = nonBlank(textAt(item, 'name')) ?? 'unknown';
  const [itemId, namespace] = [textAt(item, 'id'), textAt(item, 'namespace')];
  switch (type) {
    case 'function_call': {
      const given = readArguments(item.arguments);
      return {
        block: { type: 'tool-use', id, name, ...given, ...ownData({ itemId, namespace }) },
        parameters: given.parameters,
      };
    }
    case 'custom_tool_call': {
      const input = textAt(item, 'input') ?? '';
      const given = input === '' ? { parameters: {} } : readArguments(input);
      const own = { itemId, namespace, callType: type, ...(input === '' ? { input } : {}) };
      return {
        block: { type: 'tool-use', id, name, ...given, ...ownData(own) },
        parameters: { ...given.parameters, input },
      };
    }
    case 'local_shell_call': {
      const parameters = objectAt(item, 'action') ?? {};
      return { block: { type: 'tool-use', id, name: 'local_shell', parameters, ...ownData({ itemId }) }, parameters };
    }
    case 'tool_search_call': {
      const given = readArguments(item.arguments);
      return {
        block: { type: 'tool-use', id, name: 'tool_search', ...given, ...ownData({ itemId }) },
        parameters: given.parameters,
      };
    }
    default:
      return undefined;
  }
}

/** A call that OpenAI has run itself: the blocks of the answer, and the result. */
export interface ReadNativeCall {
  readonly block: ToolUseBlock;
  readonly beside: AssistantBlock[];
  readonly result: ToolBlock[];
}

export function readNativeCall(type: string, item: PlainObject, fallbackId: string): ReadNativeCall | undefined {
  const id = nonBlank(textAt(item, 'id')) ?? fallbackId;
  const executed = 'provider';
  if (type === 'web_search_call') {
    const { sources: _sources, ...parameters } = objectAt(item, 'action') ?? {};
    const text = describeSearch(parameters);
    return {
      block: { type: 'tool-use', id, name: 'web_search', parameters, executed },
      beside: [],
      result: [{ type: 'text', text, ...ownData({ result: item }) }],
    };
  }
  if (type !== 'image_generation_call') return undefined;
  const { result: data, ...rest } = item;
  const picture = imageOfBase64(typeof data === 'string' ? data : undefined);
  const prompt = textAt(item, 'revised_prompt');
  const text = prompt === undefined ? 'A picture was made.' : `A picture was made: ${prompt}`;
  return {
    block: { type: 'tool-use', id, name: 'image_generation', parameters: {}, executed },
    beside: picture === undefined ? [] : [{ ...picture, ...ownData({ itemId: id }) }],
    result: [{ type: 'text', text, ...ownData({ result: rest }) }],
  };
}

/** Returns a tool's output: a text, a list of parts, one part, or any other form of it. */
export function readOutput(item: PlainObject): Pick<Answer, 'blocks' | 'text'> & { unknown?: string } {
  const output = item.output ?? item.tools;
  if (typeof output === 'string') return { blocks: [{ type: 'text', text: output }], text: output };
  if (output === undefined || output === null) return { blocks: [], text: undefined };
  // `{content, success}` of versions that wrote it separately.
  const inner = isPlainObject(output) && textAt(output, 'type') === undefined ? output.content : output;
  if (typeof inner === 'string') return { blocks: [{ type: 'text', text: inner }], text: inner };
  if (inner === undefined || item.output === undefined) {
    const text = JSON.stringify(output);
    return { blocks: [{ type: 'text', text }], text };
  }
  const { blocks, unknown } = readParts(inner);
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  return {
    blocks,
    text: texts.length === 0 ? undefined : texts.join('\n'),
    ...(unknown === undefined ? {} : { unknown }),
  };
}

function describeSearch(action: PlainObject): string {
  const words = [action.query, action.pattern, action.url].filter((word) => typeof word === 'string');
  return words.length === 0 ? 'A search was made.' : `Searched: ${words.join(', ')}`;
}

function nonBlank(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === '' ? undefined : text;
}
