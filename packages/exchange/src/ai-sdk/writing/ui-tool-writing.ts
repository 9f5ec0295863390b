import { blocksShownToModel, denialReason, isDenied, renderBlockAsText } from '@loom/blocks';
import type { ToolMessage, ToolUseBlock } from '@loom/blocks';
import { writeInput } from '../call-input.ts';
import { parseJson } from '../json.ts';
import type { TakeNote } from '../note.ts';
import { providerOptionsOf } from '../provider-options.ts';
import { readMark } from '../sdk-mark.ts';
import type { SdkMark } from '../sdk-mark.ts';
import type { ToolUIPart, ToolUIState } from '../ui-message.ts';
import { withFields } from './ui-part-writing.ts';

/** Writes a call and its result, if any, as one tool part. Tools that the SDK did not name itself are dynamic ones. */
export function writeToolPart(
  call: ToolUseBlock,
  result: ToolMessage | undefined,
  path: string,
  take: TakeNote,
): ToolUIPart {
  const mark = readMark(call);
  const metadata = mark.providerFromResult === true ? undefined : providerOptionsOf(call, path, take);
  const fields = {
    toolCallId: call.id,
    ...(mark.providerExecuted === undefined ? {} : { providerExecuted: mark.providerExecuted }),
    ...(metadata === undefined ? {} : { callProviderMetadata: metadata }),
    ...writeState(call, mark, result),
  };
  return mark.static === true
    ? withFields({ type: `tool-${call.name}` as const, ...fields }, mark.uiPart)
    : withFields({ type: 'dynamic-tool' as const, toolName: call.name, ...fields }, mark.uiPart);
}

/** Returns true if a tool part can hold the whole result: at most one text, or the output of a tool that is gone. */
export function fitsToolPart(call: ToolUseBlock, result: ToolMessage): boolean {
  const [first, second, ...others] = result.content;
  if (others.length > 0 || (first !== undefined && (first.type !== 'text' || first.ephemeral === true))) return false;
  return second === undefined || keptOutput(readMark(call), result) !== undefined;
}

function writeState(call: ToolUseBlock, mark: SdkMark, result: ToolMessage | undefined): ToolUIState {
  const input = mark.input === 'none' || mark.fromRawInput === true ? undefined : writeInput(call);
  const approval = approvalOf(mark);
  if (result === undefined) return writeOpenState(call, input, approval);
  if (isDenied(result)) {
    const reason = denialReason(result);
    const refusal = {
      id: call.id,
      ...approval,
      approved: false as const,
      ...(reason === undefined ? {} : { reason }),
    };
    return { state: mark.deniedBy === 'response' ? 'approval-responded' : 'output-denied', input, approval: refusal };
  }
  const granted = approval === undefined ? {} : { approval: { ...approval, approved: true as const } };
  if (result.is_error === true) return { state: 'output-error', input, errorText: shownText(result), ...granted };
  return { state: 'output-available', input, output: writeOutput(mark, result), ...granted };
}

function writeOpenState(call: ToolUseBlock, input: unknown, approval: Approval | undefined): ToolUIState {
  if (call.status !== undefined && call.status !== 'done') return { state: 'input-streaming', input };
  if (approval === undefined) return { state: 'input-available', input };
  const { approved, ...request } = approval;
  return approved === undefined
    ? { state: 'approval-requested', input, approval: request }
    : { state: 'approval-responded', input, approval: { ...request, approved } };
}

function writeOutput(callMark: SdkMark, result: ToolMessage): unknown {
  const kept = keptOutput(callMark, result);
  if (kept !== undefined) return kept;
  const text = shownText(result);
  const json = readMark(result.content[0]).output === 'json' ? parseJson(text) : undefined;
  return json === undefined ? text : json;
}

/** Returns the output of a tool that is gone, which stands beside the text that models get instead. */
function keptOutput(callMark: SdkMark, result: ToolMessage): unknown {
  const kept = result.content[1];
  return callMark.uiPart?.['dynamic'] === false && kept?.type === 'raw' ? kept.value : undefined;
}

function shownText(result: ToolMessage): string {
  return blocksShownToModel(result).map(renderBlockAsText).join('\n');
}

interface Approval {
  id: string;
  approved?: boolean;
}

function approvalOf({ approval }: SdkMark): Approval | undefined {
  if (approval === undefined || typeof approval['id'] !== 'string') return undefined;
  const { id, approved, ...others } = approval;
  return { ...others, id, ...(typeof approved === 'boolean' ? { approved } : {}) };
}
