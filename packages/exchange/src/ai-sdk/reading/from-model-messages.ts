import { isBlank, isNonEmpty } from '@loom/blocks';
import type {
  AssistantBlock,
  AssistantMessage,
  PlainObject,
  RawBlock,
  ToolMessage,
  ToolUseBlock,
  UserBlock,
} from '@loom/blocks';
import { z } from 'zod';
import { appendAll } from '../append-all.ts';
import { ConversationBuilder } from '../conversation.ts';
import type { ReadConversation } from '../conversation.ts';
import { cleanString, readFields, typeOf } from './field-reading.ts';
import { keepPart, readContentPart, readSpokenPart } from './model-part-reading.ts';
import { optionsField } from '../provider-options.ts';
import { addMark, readMark, unlessEmpty } from '../sdk-mark.ts';
import { markOutcome, readToolOutput } from './tool-output-reading.ts';

/**
 * Reads the AI SDK's `ModelMessage[]`. Never throws and never drops: a part without a block in Loom is kept as `raw` and noted. A result inside an
 * assistant message becomes a tool message after it; approvals are kept with their call.
 */
export function fromModelMessages(messages: readonly unknown[]): ReadConversation {
  const reader = new ModelMessageReader();
  for (const [index, message] of messages.entries()) reader.read(message, `messages[${index}]`);
  return reader.finish();
}

const envelope = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.union([cleanString, z.array(z.unknown())]),
});

const toolResultPart = z.object({
  type: z.literal('tool-result'),
  toolCallId: cleanString,
  toolName: cleanString,
  output: z.unknown(),
});
const approvalRequest = z.object({
  type: z.literal('tool-approval-request'),
  approvalId: cleanString,
  toolCallId: cleanString,
  reason: cleanString.exactOptional(),
});
const approvalResponse = z.object({
  type: z.literal('tool-approval-response'),
  approvalId: cleanString,
  approved: z.boolean(),
  reason: cleanString.exactOptional(),
});

class ModelMessageReader {
  readonly #conversation = new ConversationBuilder('ai-sdk');
  /** The latest call of each id, and the place of the call that an approval belongs to. */
  readonly #calls = new Map<string, ToolUseBlock>();
  readonly #approvals = new Map<string, { message: AssistantMessage; index: number }>();

  finish(): ReadConversation {
    return this.#conversation.finish();
  }

  read(message: unknown, path: string): void {
    const read = readFields(envelope, message);
    if (!read) return this.#conversation.keepWhole(message, path);
    const { role, content } = read.fields;
    if (role === 'system' && typeof content === 'string' && this.#conversation.atTop) {
      return this.#conversation.addSystemPrompt(content, optionsField(read.rest['providerOptions']), path);
    }
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
    if (role === 'system' || parts.length === 0) return this.#conversation.keepWhole(message, path);
    const modelMessage = unlessEmpty(read.rest);
    switch (role) {
      case 'user':
        return this.#readUser(parts, modelMessage, path);
      case 'assistant':
        return this.#readAssistant(parts, modelMessage, path);
      case 'tool':
        return this.#readTool(parts, modelMessage, path);
    }
  }

  #readUser(parts: readonly unknown[], modelMessage: PlainObject | undefined, path: string): void {
    const { take } = this.#conversation;
    const content = parts.map((part, index): UserBlock => {
      const at = `${path}.content[${index}]`;
      return readContentPart(part, at, take) ?? keepPart(part, at, take);
    });
    if (!isNonEmpty(content)) return;
    const [first, ...others] = content;
    this.#conversation.messages.push({ role: 'user', content: [addMark(first, { modelMessage }), ...others] });
  }

  #readAssistant(parts: readonly unknown[], modelMessage: PlainObject | undefined, path: string): void {
    const { messages, take } = this.#conversation;
    const content: AssistantBlock[] = [];
    const results: ToolMessage[] = [];
    // The index in the content of the latest call with each id.
    const places = new Map<string, number>();
    for (const [index, part] of parts.entries()) {
      const at = `${path}.content[${index}]`;
      const result = this.#readResult(part, true, (id) => callAt(content, places.get(id)), at);
      if (result) results.push(result);
      else if (!attachRequest(part, content, places)) {
        const block = readSpokenPart(part, at, take) ?? keepPart(part, at, take);
        if (block.type === 'tool-use') places.set(block.id, content.length);
        content.push(block);
      }
    }
    if (isNonEmpty(content)) {
      const [first, ...others] = content;
      const message: AssistantMessage = { role: 'assistant', content: [addMark(first, { modelMessage }), ...others] };
      this.#remember(message);
      messages.push(message);
    }
    appendAll(messages, results);
  }

  #readTool(parts: readonly unknown[], modelMessage: PlainObject | undefined, path: string): void {
    const { messages, take } = this.#conversation;
    const results: ToolMessage[] = [];
    const strays: RawBlock[] = [];
    for (const [index, part] of parts.entries()) {
      const at = `${path}.content[${index}]`;
      const result = this.#readResult(part, false, () => undefined, at);
      if (result) results.push(result);
      else if (!this.#attachResponse(part)) strays.push(keepPart(part, at, take));
    }
    const [first, ...others] = results;
    if (first) {
      const outcome = modelMessage === undefined ? first : markOutcome(first, { modelMessage });
      messages.push({ ...first, content: [...outcome.content, ...strays] });
      appendAll(messages, others);
    } else {
      for (const stray of strays) messages.push({ role: 'user', content: [stray] });
    }
  }

  /** Returns the tool message of a result. The call names the tool; the result's own name for it is kept only if the call is missing. */
  #readResult(
    part: unknown,
    inAssistant: boolean,
    callBeside: (id: string) => ToolUseBlock | undefined,
    path: string,
  ): ToolMessage | undefined {
    const read = typeOf(part) === 'tool-result' ? readFields(toolResultPart, part) : undefined;
    if (!read || isBlank(read.fields.toolCallId)) return undefined;
    const { toolCallId, toolName, output } = read.fields;
    const call = callBeside(toolCallId) ?? this.#calls.get(toolCallId);
    const inline = inAssistant && readMark(call).providerExecuted === true;
    const outcome = readToolOutput(output, inline, path, this.#conversation.take);
    if (!outcome) return undefined;
    const marked = markOutcome(outcome, {
      ...(Object.keys(read.rest).length === 0 ? {} : { result: read.rest }),
      ...(call === undefined ? { modelPart: { toolName } } : {}),
    });
    return { role: 'tool', tool_call_id: toolCallId, ...marked };
  }

  /** Keeps the answer to an approval request with its call. */
  #attachResponse(part: unknown): boolean {
    const read = readFields(approvalResponse, part);
    const place = read && this.#approvals.get(read.fields.approvalId);
    const call = place?.message.content[place.index];
    if (!read || !place || !call) return false;
    const { approved, reason } = read.fields;
    const answer = reason === undefined ? { approved } : { approved, reason };
    place.message.content[place.index] = addMark(call, { approval: { ...readMark(call).approval, ...answer } });
    return true;
  }

  #remember(message: AssistantMessage): void {
    for (const [index, block] of message.content.entries()) {
      if (block.type !== 'tool-use') continue;
      this.#calls.set(block.id, block);
      const approvalId = readMark(block).approval?.['id'];
      if (typeof approvalId === 'string') this.#approvals.set(approvalId, { message, index });
    }
  }
}

function callAt(content: readonly AssistantBlock[], place: number | undefined): ToolUseBlock | undefined {
  const block = place === undefined ? undefined : content[place];
  return block?.type === 'tool-use' ? block : undefined;
}

/** Keeps an approval request with its call, in the words of a UI part's `approval`. */
function attachRequest(part: unknown, content: AssistantBlock[], places: ReadonlyMap<string, number>): boolean {
  const read = typeOf(part) === 'tool-approval-request' ? readFields(approvalRequest, part) : undefined;
  if (!read) return false;
  const { approvalId: id, toolCallId, reason } = read.fields;
  const place = places.get(toolCallId);
  const call = callAt(content, place);
  if (call === undefined || place === undefined) return false;
  const approval = { id, ...(reason === undefined ? {} : { requestReason: reason }), ...read.rest };
  content[place] = addMark(call, { approval });
  return true;
}
