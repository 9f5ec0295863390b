import { cleanText, isBlank, isNonEmpty, isPlainObject } from '@loom/blocks';
import type { AssistantBlock, CommandBlock, Message, PlainObject, ToolMessage, ToolUseBlock } from '@loom/blocks';
import { z } from 'zod';
import { appendAll } from '../append-all.ts';
import { readInput } from '../call-input.ts';
import { cleanString, readFields } from './field-reading.ts';
import { copyAsJson, keepFields, stringifyJson } from '../json.ts';
import type { TakeNote } from '../note.ts';
import { addMark } from '../sdk-mark.ts';
import { succeed } from './tool-output-reading.ts';

/** Returns true if a part has the chat app's own shape. The app keeps texts under `content`, the SDK under `text`. */
export function isChatPart(part: unknown): boolean {
  if (!isPlainObject(part)) return false;
  const { type } = part;
  if (type === 'text' || type === 'reasoning') return 'content' in part;
  return type === 'tool' || type === 'agent-tool' || type === 'sources';
}

/**
 * Reads the parts of one assistant row. The app ran its tools in a loop and wrote everything into one list, so text or reasoning after a call starts
 * the next round: the parts before it become an assistant message and its results.
 */
export function readChatParts(parts: readonly unknown[], path: string, take: TakeNote): Message[] {
  const reader = new ChatPartReader(take);
  for (const [index, part] of parts.entries()) reader.add(part, `${path}.parts[${index}]`);
  return reader.finish();
}

const spokenPart = z.object({ type: z.enum(['text', 'reasoning']), content: cleanString });
const shellPart = z.object({ type: z.literal('tool'), command: cleanString, content: cleanString.nullish() });
const agentPart = z.object({
  type: z.literal('agent-tool'),
  toolName: cleanString,
  toolArgs: z.unknown().optional(),
  toolCallId: cleanString.nullish(),
  content: cleanString.nullish(),
});
const text = cleanString.nullish();
const sourcesPart = z.object({
  type: z.literal('sources'),
  sources: z.array(z.object({ id: text, url: text, title: text })),
});

class ChatPartReader {
  readonly #messages: Message[] = [];
  readonly #take: TakeNote;
  #blocks: AssistantBlock[] = [];
  #results: ToolMessage[] = [];
  #called = false;

  constructor(take: TakeNote) {
    this.#take = take;
  }

  add(part: unknown, path: string): void {
    const spoken = readFields(spokenPart, part);
    if (spoken) return this.#speak(spoken.fields.type, spoken.fields.content);
    const agent = readFields(agentPart, part);
    if (agent && !isBlank(agent.fields.toolName)) return this.#call(agent.fields, agent.rest);
    this.#blocks.push(readShell(part) ?? readSources(part) ?? this.#keep(part, path));
  }

  finish(): Message[] {
    this.#flush();
    return this.#messages;
  }

  #speak(type: 'text' | 'reasoning', text: string): void {
    if (this.#called && !isBlank(text)) this.#flush();
    this.#blocks.push({ type: type === 'text' ? 'text' : 'thinking', text });
  }

  /** Without an id, nothing links a result to its call, so the pair is kept for people as a command. */
  #call({ toolName, toolArgs, toolCallId, content }: z.infer<typeof agentPart>, rest: PlainObject): void {
    if (typeof toolCallId !== 'string' || isBlank(toolCallId)) {
      this.#blocks.push(agentCommand(toolName, toolArgs, content, rest));
      return;
    }
    const input = readInput(toolArgs ?? {});
    const call: ToolUseBlock = {
      type: 'tool-use',
      id: toolCallId,
      name: toolName,
      ...input.fields,
      ...metadataField(rest),
    };
    this.#called = true;
    this.#blocks.push(addMark(call, { input: input.mark }));
    if (typeof content === 'string') {
      this.#results.push({ role: 'tool', tool_call_id: toolCallId, ...succeed(content) });
    }
  }

  #keep(part: unknown, path: string): AssistantBlock {
    this.#take({ reason: 'kept-raw', path, message: 'A part that Loom cannot read was kept as raw.' });
    return { type: 'raw', source: 'chat-rows', value: copyAsJson(part) };
  }

  #flush(): void {
    if (isNonEmpty(this.#blocks)) this.#messages.push({ role: 'assistant', content: [...this.#blocks] });
    appendAll(this.#messages, this.#results);
    this.#blocks = [];
    this.#results = [];
    this.#called = false;
  }
}

/** The shell part of the app's first tool loop, which had ids of commands but not of calls. */
function readShell(part: unknown): CommandBlock | undefined {
  const read = readFields(shellPart, part);
  return read && command(read.fields.command, read.fields.content, read.rest);
}

function agentCommand(
  toolName: string,
  toolArgs: unknown,
  output: string | null | undefined,
  rest: PlainObject,
): CommandBlock {
  const line = isPlainObject(toolArgs) && typeof toolArgs['command'] === 'string' ? toolArgs['command'] : undefined;
  const shown = line ?? `${toolName} ${stringifyJson(toolArgs ?? {})}`;
  return command(shown, output, { ...rest, toolName, toolArgs: toolArgs ?? {} });
}

function command(line: string, output: string | null | undefined, fields: PlainObject): CommandBlock {
  const stdout = typeof output === 'string' ? { stdout: output } : {};
  // The app never sent these to a model; as text they would teach it to write calls down instead of making them.
  return { type: 'command', command: cleanText(line), ...stdout, ephemeral: true, ...metadataField(fields) };
}

function readSources(part: unknown): AssistantBlock | undefined {
  const read = readFields(sourcesPart, part);
  if (!read) return undefined;
  const sources = read.fields.sources.map(({ id, url, title }) => ({
    id: id ?? '',
    url: url ?? '',
    title: title ?? '',
  }));
  return { type: 'sources', sources, ...metadataField(read.rest) };
}

/** Fields of a part or iteration that no block has a place for. */
export function metadataField(fields: PlainObject): { metadata?: PlainObject } {
  return Object.keys(fields).length === 0 ? {} : { metadata: keepFields(fields) };
}
