import { cleanText } from '../text/clean-text.ts';
import type { ToolUseBlock } from '../content-block.ts';
import { isPlainObject } from '../values/plain-object.ts';
import type { PlainObject } from '../values/plain-object.ts';
import { withOpenAIData } from './openai-data.ts';
import { keepToolArguments } from './tool-arguments.ts';
import type { ToolArguments } from './tool-arguments.ts';

/** A call before it has an id: the id is derived from its position if its source has none. */
export type CallWithoutId = Omit<ToolUseBlock, 'id'> & { id?: string };

/** Reads one entry of `tool_calls`, or `undefined` if it names no tool. */
export function readToolCall(call: unknown): CallWithoutId | undefined {
  if (!isPlainObject(call)) return undefined;
  const { id, type: _type, function: called, custom, ...rest } = call;
  if (isPlainObject(custom)) {
    // A custom tool takes free text, so its input is not JSON, even where it looks like it.
    const input = typeof custom['input'] === 'string' ? custom['input'] : JSON.stringify(custom['input'] ?? '');
    return makeCall(id, custom['name'], { parameters: {}, arguments: cleanText(input) }, { ...rest, type: 'custom' });
  }
  if (!isPlainObject(called)) return undefined;
  const { name, arguments: given, ...restOfFunction } = called;
  const extra = Object.keys(restOfFunction).length === 0 ? rest : { ...rest, function: restOfFunction };
  return makeCall(id, name, readArguments(given), extra);
}

/** Reads a `function_call` field or item: a name and an argument string, without an id in the oldest shape. */
export function readFunctionCall(call: unknown): CallWithoutId | undefined {
  if (!isPlainObject(call)) return undefined;
  return makeCall(call['call_id'], call['name'], readArguments(call['arguments']), {});
}

/** Reads a call that stands among the content parts: Anthropic's `tool_use`, Gemini's `functionCall`, Bedrock's `toolUse`. */
export function readCallPart(part: PlainObject): CallWithoutId | undefined {
  if (part['type'] === 'tool_use') {
    const { type: _type, id, name, input, arguments: given, ...extra } = part;
    return makeCall(id, name, typeof given === 'string' ? keepToolArguments(given) : readArguments(input), extra);
  }
  const ofGemini = part['functionCall'] ?? part['function_call'];
  if (isPlainObject(ofGemini)) {
    const signature = part['thoughtSignature'];
    return makeCall(
      ofGemini['id'],
      ofGemini['name'],
      readArguments(ofGemini['args']),
      typeof signature === 'string' ? { thoughtSignature: signature } : {},
    );
  }
  const ofBedrock = part['toolUse'];
  if (isPlainObject(ofBedrock)) {
    return makeCall(ofBedrock['toolUseId'], ofBedrock['name'], readArguments(ofBedrock['input']), {});
  }
  return undefined;
}

function readArguments(given: unknown): ToolArguments {
  if (typeof given === 'string') return keepToolArguments(given);
  if (given === undefined || given === null) return { parameters: {} };
  return isPlainObject(given) ? { parameters: given } : { parameters: {}, arguments: JSON.stringify(given) };
}

function makeCall(id: unknown, name: unknown, fields: ToolArguments, extra: PlainObject): CallWithoutId | undefined {
  if (typeof name !== 'string' || name.trim() === '') return undefined;
  const call: CallWithoutId = { type: 'tool-use', name: cleanText(name), ...fields };
  const hasId = typeof id === 'string' && id.trim() !== '';
  return withOpenAIData(hasId ? { ...call, id: cleanText(id) } : call, 'call', extra);
}
