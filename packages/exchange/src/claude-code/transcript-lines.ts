import type { PlainObject } from '@loom/blocks';
import { objectIn, textIn, timeOf } from '../foreign/fields.ts';
import type { MessageLine } from './message-tree.ts';

/** Lines about a session that hold no message: nothing of a conversation is lost with them, and they are kept as raw lines. */
export const sideLines: ReadonlySet<string> = new Set([
  'queue-operation',
  'last-prompt',
  'tools-used',
  'atis-latch',
  'mode',
  'permission-mode',
  'cost-state',
  'agent-name',
  'agent-color',
  'agent-setting',
  'tag',
  'pr-link',
  'frame-link',
  'file-history-snapshot',
  'file-history-delta',
  'worktree-state',
  'relocated',
  'bridge-session',
  'api-request-shape',
  'api-request-blob',
  'api-request',
  'content-replacement',
  'attribution-snapshot',
]);

/** Lines in the chain of messages that are not messages: their children hang below the message above them. */
export const passedLines: ReadonlySet<string> = new Set(['attachment', 'progress', 'system']);

/** A line of a transcript as the tree takes it. */
export function messageLineOf(line: PlainObject, uuid: string): MessageLine {
  return {
    uuid,
    message: line.message,
    time: timeOf(line.timestamp),
    native: reportOf(line),
    denial: textIn(line.toolDenialKind),
    startsContext: line.isCompactSummary === true,
    isAside: line.isMeta === true || isSystemPrompt(line),
    error: errorOf(line),
    isFinal: true,
    details: detailsOf(line),
  };
}

/** Returns the tool's own report. For a tool of an MCP server a live stream has it as one object, a transcript in two fields. */
function reportOf(line: PlainObject): unknown {
  const meta = objectIn(line.mcpMeta);
  return meta === undefined ? line.toolUseResult : { content: line.toolUseResult, ...meta };
}

/** Returns a message that was typed while the model worked, and was passed to it with the next results. */
export function queuedMessage(line: PlainObject, uuid: string): MessageLine | undefined {
  const attachment = objectIn(line.attachment);
  if (attachment?.type !== 'queued_command' || attachment.prompt === undefined) return undefined;
  const origin = textIn(objectIn(attachment.origin)?.kind) ?? textIn(attachment.commandMode);
  return {
    uuid,
    sentAs: textIn(attachment.source_uuid),
    message: { content: attachment.prompt },
    time: timeOf(line.timestamp),
    details: {
      queued: true,
      ...(origin === undefined || origin === 'prompt' || origin === 'human' ? {} : { synthetic: true }),
    },
  };
}

function errorOf(line: PlainObject): string | undefined {
  if (line.isApiErrorMessage !== true) return undefined;
  return textIn(line.error) ?? 'api-error';
}

function detailsOf(line: PlainObject): PlainObject | undefined {
  const message = objectIn(line.message);
  const isWritten = line.isMeta === true || line.isCompactSummary === true || isSystemPrompt(line);
  const isSynthetic = isWritten || message?.model === '<synthetic>' || isNotice(message?.content);
  const isAborted = line.isAbortedMidStream === true;
  if (!isSynthetic && !isAborted) return undefined;
  return { ...(isSynthetic ? { synthetic: true } : {}), ...(isAborted ? { aborted: true } : {}) };
}

/** True if the program started the turn without the user, as at the end of a background task. */
function isSystemPrompt(line: PlainObject): boolean {
  return line.promptSource === 'system' || textIn(objectIn(line.origin)?.kind) === 'task-notification';
}

/**
 * Returns true for a user message that the program wrote: the user stopped it, ran one of the program's own commands, or such a command printed
 * something.
 */
export function isNotice(content: unknown): boolean {
  const text = openingOf(content);
  if (text === undefined || (text[0] !== '[' && text[0] !== '<')) return false;
  return interruption.test(text) || localCommand.test(text);
}

const interruption = /^\[Request interrupted by user(?: for tool use)?\]$/;
const localCommand = /^<(?:command-name|local-command-(?:stdout|stderr|caveat)|bash-(?:stdout|stderr))>/;

/** Returns the invocation of a saved prompt, as its first line was typed: `/review the parser`. */
export function calledPrompt(content: unknown): string | undefined {
  const text = openingOf(content);
  if (text?.startsWith('<command-message>') !== true) return undefined;
  const [, name] = /<command-name>([^<]{1,200})<\/command-name>/.exec(text) ?? [];
  const [, words = ''] = /<command-args>(.*?)(?:\n|<\/command-args>)/.exec(text) ?? [];
  return name === undefined ? undefined : `${name} ${words}`.trim();
}

function openingOf(content: unknown): string | undefined {
  const first: unknown = Array.isArray(content) ? content[0] : content;
  return typeof first === 'string' ? first : textIn(objectIn(first)?.text);
}
