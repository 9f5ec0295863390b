import { cleanText, deniedBlock, isBlank } from '@loom/blocks';
import type { PlainObject, ToolMessage, ToolUseBlock } from '@loom/blocks';
import type { z } from 'zod';
import { readInput } from '../call-input.ts';
import { readFields, typeOf } from './field-reading.ts';
import { copyAsJson, stringifyJson } from '../json.ts';
import type { TakeNote } from '../note.ts';
import { providerField } from '../provider-options.ts';
import { addMark, unlessEmpty } from '../sdk-mark.ts';
import { fail, markOutcome, succeed } from './tool-output-reading.ts';
import type { Outcome } from './tool-output-reading.ts';
import { toolUIPart } from '../ui-message.ts';

/** A tool part, cut into the call and, if it has ended, its result. */
export interface ToolPair {
  call: ToolUseBlock;
  result?: ToolMessage;
}

type ToolFields = z.infer<typeof toolUIPart>;

/** The text a model reads if the tool that would select the model's part of the output is gone. The SDK's words. */
const UNAVAILABLE_TEXT = 'Tool output omitted because the tool is no longer available.';

/** Reads a `tool-<name>` or `dynamic-tool` part in any of its states; `undefined` if it is neither or cannot be read. */
export function readToolPart(part: unknown, path: string, take: TakeNote): ToolPair | undefined {
  const type = typeOf(part);
  const read = type === 'dynamic-tool' || type?.startsWith('tool-') ? readFields(toolUIPart, part) : undefined;
  if (!read) return undefined;
  const { fields, rest } = read;
  const name = fields.type === 'dynamic-tool' ? fields.toolName : cleanText(fields.type.slice('tool-'.length));
  if (name === undefined || isBlank(name) || isBlank(fields.toolCallId) || !fitsState(fields)) return undefined;
  const call = readCall(fields, name, rest, path, take);
  const outcome = readOutcome(fields, rest);
  if (!outcome) return { call };
  const providerOptions = resultOptions(fields);
  const marked = providerOptions === undefined ? outcome : markOutcome(outcome, { result: { providerOptions } });
  return { call, result: { role: 'tool', tool_call_id: call.id, ...marked } };
}

function fitsState({ state, approval, errorText }: ToolFields): boolean {
  if (state === 'output-error') return errorText !== undefined;
  if (state === 'approval-requested') return approval !== undefined && approval.approved === undefined;
  if (state === 'approval-responded') return approval?.approved !== undefined;
  return state !== 'output-denied' || approval?.approved !== true;
}

function readCall(fields: ToolFields, name: string, rest: PlainObject, path: string, take: TakeNote): ToolUseBlock {
  const { state, input, approval, callProviderMetadata, resultProviderMetadata } = fields;
  const failed = state === 'output-error';
  // A failed call may have no input, or, in older parts, one that did not parse, under another name.
  const missing = failed && (input === undefined || input === null);
  const fromRaw = missing && rest['rawInput'] !== undefined;
  const read = readInput(missing ? rest['rawInput'] : input);
  const borrowed = failed && callProviderMetadata === undefined ? resultProviderMetadata : undefined;
  const block: ToolUseBlock = {
    type: 'tool-use',
    id: fields.toolCallId,
    name,
    ...read.fields,
    ...(state === 'input-streaming' ? { status: 'running' as const } : {}),
    ...providerField(callProviderMetadata ?? borrowed, path, take),
  };
  const kept = {
    ...rest,
    ...(resultProviderMetadata === undefined ? {} : { resultProviderMetadata }),
    ...(missing && input === null ? { input } : {}),
  };
  return addMark(block, {
    input: read.mark,
    fromRawInput: fromRaw || undefined,
    providerExecuted: fields.providerExecuted,
    approval,
    static: fields.type === 'dynamic-tool' ? undefined : true,
    deniedBy: state === 'approval-responded' && approval?.approved === false ? 'response' : undefined,
    providerFromResult: borrowed === undefined ? undefined : true,
    uiPart: unlessEmpty(kept),
  });
}

function readOutcome({ state, output, errorText = '', approval }: ToolFields, rest: PlainObject): Outcome | undefined {
  switch (state) {
    case 'output-available':
      if (rest['dynamic'] === false) return unavailable(output);
      return typeof output === 'string' ? succeed(output) : succeed(stringifyJson(output), { output: 'json' });
    case 'output-error':
      return fail(errorText);
    case 'output-denied':
      return denied(approval?.reason);
    case 'approval-responded':
      return approval?.approved === false ? denied(approval.reason) : undefined;
    case 'input-streaming':
    case 'input-available':
    case 'approval-requested':
      return undefined;
  }
}

/** The output of a tool that is gone, kept for people only: which part of it was meant for models is unknown. */
function unavailable(output: unknown): Outcome {
  return {
    content: [
      { type: 'text', text: UNAVAILABLE_TEXT },
      { type: 'raw', source: 'ai-sdk', value: copyAsJson(output) },
    ],
  };
}

function denied(reason: string | undefined): Outcome {
  return { content: [deniedBlock(reason)], is_error: true };
}

/** The SDK sends the call's metadata with the result too, and that of the result only where the provider ran the tool. */
function resultOptions({ providerExecuted, state, callProviderMetadata, resultProviderMetadata }: ToolFields): unknown {
  const inline = providerExecuted === true && (state === 'output-available' || state === 'output-error');
  return inline ? (resultProviderMetadata ?? callProviderMetadata) : callProviderMetadata;
}
