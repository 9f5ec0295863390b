import type { PlainObject } from '@loom/blocks';
import { isList, numberAt, objectAt, textAt } from '../../foreign/fields.ts';
import { readJsonLine } from '../../foreign/json-line.ts';
import type { GrowingWords } from './live-thread.ts';

/** A line of `codex app-server`: JSON-RPC without its version field. */
export type ServerLine =
  | { readonly type: 'answer'; readonly id: number | string; readonly result: PlainObject }
  | { readonly type: 'refusal'; readonly id: number | string; readonly message: string }
  /** Codex asks something and waits. */
  | { readonly type: 'request'; readonly id: number | string; readonly method: string; readonly params: PlainObject }
  | { readonly type: 'notice'; readonly method: string; readonly params: PlainObject }
  /** Not a message of the protocol. */
  | { readonly type: 'other'; readonly text: string };

/** Reads a line. It never throws, whatever the line holds. */
export function readServerLine(line: string): ServerLine {
  const read = readJsonLine(line);
  const message = read.kind === 'objects' && !read.isGlued ? read.objects[0] : undefined;
  if (message === undefined) return { type: 'other', text: line };
  const method = textAt(message, 'method');
  const id = typeof message.id === 'number' || typeof message.id === 'string' ? message.id : undefined;
  const params = objectAt(message, 'params') ?? {};
  if (method !== undefined)
    return id === undefined ? { type: 'notice', method, params } : { type: 'request', id, method, params };
  if (id === undefined) return { type: 'other', text: line };
  const error = objectAt(message, 'error');
  if (error !== undefined) return { type: 'refusal', id, message: textAt(error, 'message') ?? 'Codex refused.' };
  return { type: 'answer', id, result: objectAt(message, 'result') ?? {} };
}

/** The end of a turn. */
export interface TurnEnd {
  readonly turn: string;
  readonly status: 'completed' | 'interrupted' | 'failed';
  readonly error?: CodexError;
}

/** A failure as Codex tells it; `kind` is its own name for it. */
export interface CodexError {
  readonly message: string;
  readonly kind: string | undefined;
  readonly status: number | undefined;
}

/** The content of a notice; `thread` is the thread that it is about. */
export type ServerFact =
  | ({ readonly type: 'words'; readonly thread: string } & GrowingWords)
  | { readonly type: 'output'; readonly thread: string; readonly call: string; readonly text: string }
  | { readonly type: 'item'; readonly thread: string; readonly isDone: boolean; readonly item: PlainObject }
  | { readonly type: 'plan'; readonly thread: string; readonly turn: string; readonly items: readonly PlainObject[] }
  | { readonly type: 'usage'; readonly thread: string; readonly last: PlainObject }
  | { readonly type: 'turn-started'; readonly thread: string; readonly turn: string }
  | ({ readonly type: 'turn-ended'; readonly thread: string } & TurnEnd)
  | { readonly type: 'retrying'; readonly thread: string; readonly message: string }
  | { readonly type: 'error'; readonly thread: string; readonly error: CodexError }
  | {
      readonly type: 'thread';
      readonly thread: string;
      readonly path: string | undefined;
      readonly parent: string | undefined;
    }
  | { readonly type: 'resolved'; readonly thread: string; readonly request: number | string }
  | { readonly type: 'idle' }
  | { readonly type: 'unknown'; readonly kind: string };

/** Returns the content of a notice. */
export function factOf(method: string, params: PlainObject): ServerFact {
  const thread = textAt(params, 'threadId') ?? '';
  const item = textAt(params, 'itemId') ?? '';
  const text = textAt(params, 'delta') ?? '';
  switch (method) {
    case 'item/agentMessage/delta':
      return { type: 'words', thread, item, of: 'text', part: 0, text };
    case 'item/reasoning/summaryTextDelta':
      return { type: 'words', thread, item, of: 'thinking', part: numberAt(params, 'summaryIndex') ?? 0, text };
    case 'item/commandExecution/outputDelta':
      return { type: 'output', thread, call: item, text };
    case 'item/started':
    case 'item/completed':
      return { type: 'item', thread, isDone: method === 'item/completed', item: objectAt(params, 'item') ?? {} };
    case 'turn/plan/updated':
      return { type: 'plan', thread, turn: textAt(params, 'turnId') ?? '', items: stepsOf(params.plan) };
    case 'thread/tokenUsage/updated':
      return { type: 'usage', thread, last: spelledAsExec(objectAt(objectAt(params, 'tokenUsage'), 'last') ?? {}) };
    case 'turn/started':
      return { type: 'turn-started', thread, turn: textAt(objectAt(params, 'turn'), 'id') ?? '' };
    case 'turn/completed':
      return { type: 'turn-ended', thread, ...endOf(objectAt(params, 'turn') ?? {}) };
    case 'error': {
      const error = errorOf(objectAt(params, 'error') ?? {});
      return params.willRetry === true
        ? { type: 'retrying', thread, message: error.message }
        : { type: 'error', thread, error };
    }
    case 'thread/started': {
      const begun = objectAt(params, 'thread');
      const [id = '', path, parent] = [textAt(begun, 'id'), textAt(begun, 'path'), textAt(begun, 'parentThreadId')];
      return { type: 'thread', thread: id, path, parent };
    }
    case 'serverRequest/resolved': {
      const { requestId } = params;
      const request = typeof requestId === 'number' || typeof requestId === 'string' ? requestId : '';
      return { type: 'resolved', thread, request };
    }
    default:
      return idleNotices.test(method) ? { type: 'idle' } : { type: 'unknown', kind: method };
  }
}

/** Returns an error in the form in which notices and turns carry it. */
export function errorOf(error: PlainObject): CodexError {
  const info = error.codexErrorInfo;
  const tagged = typeof info === 'object' && info !== null ? Object.entries(info)[0] : undefined;
  const kind = typeof info === 'string' ? info : tagged?.[0];
  return {
    message: textAt(error, 'message') ?? 'The turn failed.',
    kind,
    status: numberAt(tagged?.[1], 'httpStatusCode'),
  };
}

function endOf(turn: PlainObject): TurnEnd {
  const told = textAt(turn, 'status');
  const status = told === 'interrupted' || told === 'failed' ? told : 'completed';
  const error = objectAt(turn, 'error');
  return { turn: textAt(turn, 'id') ?? '', status, ...(error === undefined ? {} : { error: errorOf(error) }) };
}

/** Returns the steps of a plan as the tasks of `codex exec --json`, with their states. */
function stepsOf(plan: unknown): PlainObject[] {
  return (isList(plan) ? plan : []).map((step) => {
    const status = (textAt(step, 'status') ?? 'pending').replace('inProgress', 'in_progress');
    return { text: textAt(step, 'step') ?? '', status, completed: status === 'completed' };
  });
}

/** Returns the fields of an object in the spelling of `codex exec --json`. */
export function spelledAsExec(object: PlainObject): PlainObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [asExec(name), value]));
}

/** `inProgress` becomes `in_progress`. */
export function asExec(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Notices that repeat others, or that no conversation keeps. */
const idleNotices =
  /^(?:account|app|command|configWarning|deprecationNotice|externalAgentConfig|fs|fuzzyFileSearch|guardianWarning|hook|mcpServer|model|modelProvider|process|project|rawResponse|rawResponseItem|remoteControl|skills|thread|turn|warning|windows|windowsSandbox)(?:\/|$)|^item\/(?:reasoning\/(?:summaryPartAdded|textDelta)|plan\/delta|fileChange\/|mcpToolCall\/progress|commandExecution\/terminalInteraction|autoApprovalReview)|^autoApprovalReview\//;
