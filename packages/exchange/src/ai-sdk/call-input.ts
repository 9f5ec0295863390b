import { isPlainObject } from '@loom/blocks';
import type { ToolUseBlock } from '@loom/blocks';
import { keepToolArguments, parseToolArguments } from '@loom/blocks/legacy';
import type { ToolArguments } from '@loom/blocks/legacy';
import { keepFields, parseJson, stringifyJson } from './json.ts';
import { readMark } from './sdk-mark.ts';
import type { SdkMark } from './sdk-mark.ts';

/**
 * An SDK call's `input` as the parameters of a tool-use. The SDK carries anything (an unparsable argument string as that
 * string), a tool-use only objects; anything else goes into `arguments`, and `mark` says how to write it back.
 */
export function readInput(input: unknown): { fields: ToolArguments; mark?: SdkMark['input'] } {
  if (input === undefined) return { fields: { parameters: {} }, mark: 'none' };
  if (isPlainObject(input)) return { fields: { parameters: keepFields(input) } };
  if (typeof input === 'string') return { fields: keepToolArguments(input), mark: 'text' };
  return { fields: { parameters: {}, arguments: stringifyJson(input) }, mark: 'json' };
}

/** The `input` of an SDK call. Inputs that came from the SDK go back as they came; otherwise it is always an object. */
export function writeInput(call: ToolUseBlock): unknown {
  const { input } = readMark(call);
  if (input !== 'text' && input !== 'json') return call.parameters;
  const text = call.arguments ?? stringifyJson(call.parameters);
  const value = input === 'json' ? parseJson(text) : text;
  return value === undefined ? call.parameters : value;
}

/** True if the call's arguments are not a JSON object, so that its parameters say nothing about them. */
export function hasMalformedArguments(call: ToolUseBlock): boolean {
  return call.arguments !== undefined && !parseToolArguments(call.arguments).ok;
}
