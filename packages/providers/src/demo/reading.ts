import { blocksShownToModel, cleanText, deniedText, interruptedText, isDenied } from '@loom/blocks';
import type { Message, PlainObject, ToolMessage } from '@loom/blocks';
import type { ProviderRequest } from '@loom/kernel';
import { fingerprint } from './fingerprint.ts';
import { isSigned } from './signature.ts';

/** The result of a call. */
export interface Result {
  /** The tool's name; `tool` if the call is not in the messages. */
  tool: string;
  parameters: PlainObject;
  text: string;
  outcome: 'answered' | 'failed' | 'denied' | 'interrupted';
}

/** A request as the demo understands it: the user's message, the work done on it so far, and the tools at hand. */
export interface Reading {
  /** The user's last message; empty without one. */
  said: string;
  /** The files of that message: their names, or media types for those without one. */
  files: readonly string[];
  /** All user messages, oldest first, `said` included. */
  heard: readonly string[];
  /** The model's last text before or after it. */
  answered: string;
  /** True if the model spoke last. */
  endsWithAnswer: boolean;
  /** The number of tool rounds since the user's last message. */
  rounds: number;
  /** The results of these calls, in their order. */
  results: readonly Result[];
  /** The names of the tools that may be called. */
  tools: ReadonlySet<string>;
  /** The ids of all calls in the messages, so that none is given twice. */
  callIds: ReadonlySet<string>;
  /** True if a thought comes back with a text that does not match its signature. */
  hasForgedThinking: boolean;
  hasSystemPrompt: boolean;
  /** Stands for everything above. */
  digest: string;
}

/** Reads a request. Survives every history: empty, cut, unpaired or with foreign blocks. */
export function readRequest({ model, systemPrompt, messages, tools }: ProviderRequest): Reading {
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const since = messages.slice(lastUser + 1);
  const heard = messages.filter((message) => message.role === 'user').map(textOf);
  const calls = messages.flatMap(callsOf);
  const lastAnswer = messages.findLast((message) => message.role === 'assistant' && textOf(message) !== '');
  return {
    said: heard.at(-1) ?? '',
    files: messages.slice(lastUser, lastUser + 1).flatMap(filesOf),
    heard,
    answered: lastAnswer === undefined ? '' : textOf(lastAnswer),
    endsWithAnswer: messages.at(-1)?.role === 'assistant',
    rounds: since.filter((message) => callsOf(message).length > 0).length,
    results: since.flatMap((message) => (message.role === 'tool' ? [readResult(message, calls)] : [])),
    tools: new Set(tools.map(({ name }) => name)),
    callIds: new Set(calls.map(({ id }) => id)),
    hasForgedThinking: messages.some((message) =>
      blocksShownToModel(message).some((block) => block.type === 'thinking' && !isSigned(block)),
    ),
    hasSystemPrompt: systemPrompt !== undefined && systemPrompt !== '',
    digest: fingerprint(JSON.stringify([model, systemPrompt ?? '', messages.map(digestOf)])),
  };
}

function readResult(message: ToolMessage, calls: ReturnType<typeof callsOf>): Result {
  const call = calls.findLast(({ id }) => id === message.tool_call_id);
  const text = textOf(message);
  return { tool: call?.name ?? 'tool', parameters: call?.parameters ?? {}, text, outcome: outcomeOf(message, text) };
}

function outcomeOf(message: ToolMessage, text: string): Result['outcome'] {
  if (text === interruptedText) return 'interrupted';
  if (message.is_error !== true) return 'answered';
  // The record field that marks a denial may not have come along; the fixed text always does.
  return isDenied(message) || text === deniedText ? 'denied' : 'failed';
}

function textOf(message: Message): string {
  return cleanText(
    blocksShownToModel(message)
      .flatMap((block) => (block.type === 'text' ? [block.text] : []))
      .join('\n\n'),
  );
}

function filesOf(message: Message): string[] {
  return blocksShownToModel(message).flatMap((block) =>
    block.type === 'image' ? [cleanText(block.filename ?? block.media_type)] : [],
  );
}

function callsOf(message: Message) {
  return blocksShownToModel(message).filter((block) => block.type === 'tool-use');
}

function digestOf(message: Message): string[] {
  return blocksShownToModel(message).map((block) => {
    switch (block.type) {
      case 'text':
      case 'thinking':
        return block.text;
      case 'tool-use':
        return block.id;
      case 'image':
        return block.url ?? block.blob ?? '';
    }
  });
}
