import { cleanText, isBlank } from '../text/clean-text.ts';
import type { ToolUseBlock } from '../content-block.ts';
import { copyJson } from '../values/json-copy.ts';
import { isPlainObject } from '../values/plain-object.ts';
import type { PlainObject } from '../values/plain-object.ts';

/** The meaning of a provider's argument string: its parameters, and the string itself if it is not their plain spelling. */
export type ParsedArguments = { ok: true; fields: ToolArguments } | { ok: false; parseError: string };
export type ToolArguments = Pick<ToolUseBlock, 'parameters' | 'arguments'>;

/** A legacy tool call whose arguments are not a JSON object. The message that holds it was not converted. */
export class ToolArgumentParseError extends Error {
  readonly code = 'invalid-tool-arguments';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly rawArguments: string;
  readonly parseError: string;

  constructor(toolCallId: string, toolName: string, rawArguments: string, parseError: string) {
    const shown = rawArguments.length > 200 ? `${rawArguments.slice(0, 200)}…` : rawArguments;
    super(
      `the arguments of tool call ${toolCallId} (${toolName}) are not a JSON object: ${parseError}. ` +
        `They read: ${shown}. Mend them in the file, or import the conversation, which keeps them as they are.`,
    );
    this.name = 'ToolArgumentParseError';
    this.toolCallId = toolCallId;
    this.toolName = toolName;
    this.rawArguments = rawArguments;
    this.parseError = parseError;
  }
}

/**
 * Reads an argument string. Blank means no arguments. The exact string is kept whenever `JSON.stringify` of the
 * parameters would not give it back: spaces, key escapes, numbers beyond a double's precision, keys that occur twice.
 */
export function parseToolArguments(given: string): ParsedArguments {
  const text = cleanText(given);
  if (isBlank(text)) return { ok: true, fields: withText({}, text) };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { ok: false, parseError: error instanceof Error ? error.message : String(error) };
  }
  if (!isPlainObject(value)) return { ok: false, parseError: `it is ${describe(value)}, not an object` };
  const copied = copyJson(value);
  if (!copied.ok) return { ok: false, parseError: `it ${copied.problems[0]?.problem ?? 'cannot be kept'}` };
  return { ok: true, fields: withText(value, text) };
}

/** Works like `parseToolArguments`, but keeps a malformed string beside empty parameters. */
export function keepToolArguments(text: string): ToolArguments {
  const parsed = parseToolArguments(text);
  return parsed.ok ? parsed.fields : { parameters: {}, arguments: cleanText(text) };
}

function withText(parameters: PlainObject, text: string): ToolArguments {
  return text === JSON.stringify(parameters) ? { parameters } : { parameters, arguments: text };
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
