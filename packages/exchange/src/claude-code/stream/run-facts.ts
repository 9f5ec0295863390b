import type { PlainObject } from '@loom/blocks';
import { listIn, objectIn, textIn } from '../../foreign/fields.ts';
import type { Spending } from './spending.ts';

/** A fact about the run itself: its turns, its questions to a person, its background tasks. */
export type RunFact =
  /** A turn begins. */
  | { readonly type: 'turn-opened'; readonly session: string; readonly report: PlainObject }
  /** A turn has ended. `spent` is its cost, with that of its sub-agents. */
  | {
      readonly type: 'turn-closed';
      readonly report: PlainObject;
      readonly spent: Spending | undefined;
      readonly failure: RunFailure | undefined;
    }
  /** The state of a message that was sent with that id: it waits, was read by the model, was answered, or was dropped. */
  | { readonly type: 'input-state'; readonly uuid: string; readonly state: string }
  | { readonly type: 'question'; readonly question: PermissionQuestion }
  | { readonly type: 'question-withdrawn'; readonly id: string }
  /** The response to a request that was sent to the program. */
  | { readonly type: 'response'; readonly id: string; readonly ok: boolean; readonly value: PlainObject }
  | { readonly type: 'retrying'; readonly attempt: number; readonly delay_ms: number; readonly reason: string }
  /** The number of tasks in the background. */
  | { readonly type: 'tasks-changed'; readonly running: number }
  | { readonly type: 'task-ended'; readonly task: string; readonly status: string; readonly summary: string }
  /** The program works in another permission mode from now on. */
  | { readonly type: 'mode-changed'; readonly mode: string }
  /** A line that is not JSON. */
  | { readonly type: 'stray'; readonly text: string };

/** A permission that the program asks for before it runs a call, or a question of the model. */
export interface PermissionQuestion {
  readonly id: string;
  readonly call: string;
  readonly tool: string;
  readonly input: PlainObject;
  /** The sub-agent that made the call. */
  readonly agent: string | undefined;
  readonly description: string | undefined;
  /** Permissions that the program suggests to keep, in its own form. */
  readonly suggestions: readonly PlainObject[];
}

/** The failure of a turn. */
export interface RunFailure {
  readonly code: string;
  readonly message: string;
  readonly status: number | undefined;
}

/** Reads a line about the run; `undefined` for lines about messages, and for those without a meaning here. */
export function readRunFact(line: PlainObject): RunFact | undefined {
  switch (textIn(line.type)) {
    case 'system':
      return readSystem(line);
    case 'command_lifecycle': {
      const uuid = textIn(line.command_uuid);
      return uuid === undefined ? undefined : { type: 'input-state', uuid, state: textIn(line.state) ?? '' };
    }
    case 'control_request':
      return readRequest(line);
    case 'control_cancel_request':
      return { type: 'question-withdrawn', id: textIn(line.request_id) ?? '' };
    case 'control_response': {
      const response = objectIn(line.response);
      const ok = response?.subtype === 'success';
      const value = objectIn(response?.response) ?? {};
      return { type: 'response', id: textIn(response?.request_id) ?? '', ok, value };
    }
    default:
      return undefined;
  }
}

/** Reads the end of a turn. */
export function readResultFact(line: PlainObject, spent: Spending | undefined): RunFact {
  return { type: 'turn-closed', report: line, spent, failure: failureOf(line) };
}

function readSystem(line: PlainObject): RunFact | undefined {
  switch (textIn(line.subtype)) {
    case 'init':
      return { type: 'turn-opened', session: textIn(line.session_id) ?? '', report: line };
    case 'status': {
      const mode = textIn(line.permissionMode);
      return mode === undefined ? undefined : { type: 'mode-changed', mode };
    }
    case 'api_retry':
      return {
        type: 'retrying',
        attempt: Math.max(1, Math.trunc(numberIn(line.attempt))),
        delay_ms: Math.max(0, numberIn(line.retry_delay_ms)),
        reason: textIn(line.error) ?? 'unknown',
      };
    case 'background_tasks_changed':
      return { type: 'tasks-changed', running: listIn(line.tasks).length };
    case 'task_notification': {
      const [task, summary] = [textIn(line.task_id) ?? '', textIn(line.summary) ?? ''];
      return { type: 'task-ended', task, status: textIn(line.status) ?? '', summary };
    }
    default:
      return undefined;
  }
}

function readRequest(line: PlainObject): RunFact | undefined {
  const request = objectIn(line.request);
  const id = textIn(line.request_id);
  if (request?.subtype !== 'can_use_tool' || id === undefined) return undefined;
  return {
    type: 'question',
    question: {
      id,
      call: textIn(request.tool_use_id) ?? id,
      tool: textIn(request.tool_name) ?? 'unknown',
      input: objectIn(request.input) ?? {},
      agent: textIn(request.agent_id),
      description: textIn(request.description),
      suggestions: listIn(request.permission_suggestions)
        .map(objectIn)
        .filter((each) => each !== undefined),
    },
  };
}

/** An API that fails makes a turn that calls itself a success. */
function failureOf(line: PlainObject): RunFailure | undefined {
  const subtype = textIn(line.subtype) ?? '';
  if (line.is_error !== true && !subtype.startsWith('error_')) return undefined;
  const errors = listIn(line.errors).flatMap((each) => textIn(each) ?? []);
  const code = textIn(line.api_error_type) ?? textIn(line.terminal_reason) ?? (subtype === '' ? 'error' : subtype);
  const message = [textIn(line.result) ?? '', ...errors].filter((text) => text !== '').join('\n');
  const status = typeof line.api_error_status === 'number' ? line.api_error_status : undefined;
  return { code, message: message === '' ? subtype : message, status };
}

function numberIn(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
}
