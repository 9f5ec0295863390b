import { cleanText } from '../text/clean-text.ts';
import { isPlainObject } from '../values/plain-object.ts';
import type { PlainObject } from '../values/plain-object.ts';
import { fieldIn, isList, isSetIn, listIn, objectIn, quantityIn, textIn } from './foreign.ts';
import type { ToolResult } from './view.ts';

/** A tool's result with the agent's wrapping taken off. */
export interface Outcome {
  /** The text that the model saw, or the nearest that the payload holds. */
  text: string | undefined;
  /** The structured part, `{}` if there is none. */
  details: PlainObject;
  /** The parts of the result where it has several: texts, images, documents. */
  parts: readonly unknown[];
  failed: boolean;
  duration_ms: number | undefined;
}

/**
 * Finds text, structure and success in the report of an agent. Each agent wraps differently: Claude Code reports the
 * structure itself (or, on failure, a string), opencode a part with `state`, Gemini CLI a call with `result` and
 * `resultDisplay`, pi `content` and `details`, Codex and Gemini's stream an object with `output`.
 */
export function readOutcome(result: ToolResult): Outcome {
  const native = fieldIn(result, 'native');
  const isError = fieldIn(result, 'is_error');
  const state = objectIn(objectIn(native, 'part') ?? native, 'state');
  const wrapper = state ?? objectIn(native, 'result') ?? native;
  const parts = isList(native) ? native : (listIn(wrapper, 'content', 'output') ?? []);
  return {
    text: textIn(result, 'text') ?? textOfNative(wrapper, parts),
    details: detailsOf(wrapper),
    parts,
    failed: isError === true || (isError !== false && (hasFailed(native) || hasFailed(wrapper))),
    duration_ms: durationOf(state),
  };
}

/** True if a payload says of itself that it is a failure. */
export function hasFailed(native: unknown): boolean {
  if (typeof native === 'string') return native.startsWith('Error: ') || native.startsWith('InputValidationError: ');
  if (isSetIn(native, 'isError', 'is_error') || fieldIn(native, 'success') === false) return true;
  const error = fieldIn(native, 'error');
  return (error !== undefined && error !== '') || failureStatuses.has(textIn(native, 'status') ?? '');
}

const failureStatuses: ReadonlySet<string> = new Set([
  'error',
  'failed',
  'declined',
  'denied',
  'rejected',
  'cancelled',
  'canceled',
]);

function detailsOf(wrapper: unknown): PlainObject {
  const inner = objectIn(wrapper, 'metadata', 'details', 'resultDisplay');
  return inner ?? (isPlainObject(wrapper) ? wrapper : {});
}

function textOfNative(wrapper: unknown, parts: readonly unknown[]): string | undefined {
  if (typeof wrapper === 'string') return cleanText(wrapper);
  const output = textIn(wrapper, 'output') ?? textOfFunctionResponse(listIn(wrapper, 'result'));
  if (output !== undefined) return output;
  const texts = parts.map((part) => textIn(part, 'text')).filter((text) => text !== undefined);
  return texts.length === 0 ? undefined : texts.join('\n');
}

function textOfFunctionResponse(result: readonly unknown[] | undefined): string | undefined {
  const response = objectIn(objectIn(result?.[0], 'functionResponse'), 'response');
  return textIn(response, 'output', 'error');
}

function durationOf(state: unknown): number | undefined {
  const time = objectIn(state, 'time');
  const start = quantityIn(time, 'start');
  const end = quantityIn(time, 'end');
  return start === undefined || end === undefined || end < start ? undefined : end - start;
}
