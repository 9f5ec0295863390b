import type { PlainObject } from '@loom/blocks';
import { listIn, objectIn, textIn, timeOf } from '../../foreign/fields.ts';
import type { MessageLine } from '../message-tree.ts';
import { isNotice } from '../transcript-lines.ts';

/** Lines about the progress of the run that hold no message. The list is that of the SDK, which tells its users to ignore others. */
export const runLines: ReadonlySet<string> = new Set([
  'command_lifecycle',
  'control_request',
  'control_response',
  'control_cancel_request',
  'keep_alive',
  'auth_status',
  'rate_limit_event',
  'tool_progress',
  'tool_use_summary',
  'prompt_suggestion',
  'streamlined_text',
  'streamlined_tool_use_summary',
]);

/** The same for lines with the type `system`. */
export const systemLines: ReadonlySet<string> = new Set([
  'init',
  'status',
  'thinking_tokens',
  'api_retry',
  'task_started',
  'task_progress',
  'task_updated',
  'task_notification',
  'background_tasks_changed',
  'permission_denied',
  'compact_boundary',
  'hook_started',
  'hook_progress',
  'hook_response',
  'informational',
  'model_fallback',
  'model_refusal_fallback',
  'model_refusal_no_fallback',
  'ui_invalidate',
  'memory_recall',
  'files_persisted',
  'session_state_changed',
  'plugin_install',
  'elicitation_complete',
  'local_command_output',
  'notification',
  'mirror_error',
  'commands_changed',
  'session_writes_lost',
  'worker_shutting_down',
]);

/** A line of a stream as the tree takes it. */
export function streamedLine(line: PlainObject, uuid: string, isSummary: boolean): MessageLine {
  const message = objectIn(line.message);
  return {
    uuid,
    message: line.message,
    time: timeOf(line.timestamp),
    native: line.tool_use_result,
    denial: denialOf(line.tool_result_meta),
    startsContext: isSummary,
    error: line.is_api_error_message === true ? (textIn(line.error) ?? 'api-error') : textIn(line.error),
    // Lines before the end of an answer carry the usage at its beginning.
    isFinal: typeof message?.stop_reason === 'string',
    details: detailsOf(line, message, isSummary),
  };
}

function denialOf(meta: unknown): string | undefined {
  return listIn(meta)
    .map((each) => textIn(objectIn(each)?.non_execution_kind))
    .find((kind) => kind !== undefined);
}

function detailsOf(line: PlainObject, message: PlainObject | undefined, isSummary: boolean): PlainObject | undefined {
  const isSynthetic =
    line.isSynthetic === true || isSummary || message?.model === '<synthetic>' || isNotice(message?.content);
  const isAborted = line.aborted === true;
  if (!isSynthetic && !isAborted) return undefined;
  return { ...(isSynthetic ? { synthetic: true } : {}), ...(isAborted ? { aborted: true } : {}) };
}
