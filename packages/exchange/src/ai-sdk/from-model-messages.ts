import { cleanText, isBlank, isNonEmpty } from '@loom/blocks';
import type {
  AssistantBlock,
  AssistantMessage,
  PlainObject,
  RawBlock,
  ToolMessage,
  ToolUseBlock,
  UserBlock,
  UserMessage,
} from '@loom/blocks';
import { z } from 'zod';
import { ConversationBuilder } from './conversation.ts';
import type { ReadConversation } from './conversation.ts';
import { readFields, typeOf } from './field-reading.ts';
import { keepPart, readContentPart, readSpokenPart } from './model-part-reading.ts';
import { optionsField } from './provider-options.ts';
import { addMark, readMark, unlessEmpty } from './sdk-mark.ts';
import { markOutcome, readToolOutput } from './tool-output-reading.ts';

/**
 * Reads the AI SDK's `ModelMessage[]`. Never throws and never drops: what Loom has no block for is kept as `raw` and
 * noted. A result inside an assistant message becomes a tool message after it; approvals are kept with their call.
 */
export function fromModelMessages(messages: readonly unknown[]): ReadConversation {
  const reader = new ModelMessageReader();
  for (const [index, message] of messages.entries()) reader.read(message, `messages[${index}]`);
  return reader.finish();
}

const envelope = z.object({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.union([z.string(), z.array(z.unknown())]),
});

const toolResultPart = z.object({
  type: z.literal('tool-result'),
  toolCallId: z.string(),
  toolName: z.string(),
  output: z.unknown(),
});
const approvalRequest = z.object({
  type: z.literal('tool-approval-request'),
  approvalId: z.string(),
  toolCallId: z.string(),
  reason: z.string().exactOptional(),
});
const approvalResponse = z.object({
  type: z.literal('tool-approval-response'),
  approvalId: z.string(),
  approved: z.boolean(),
  reason: z.string().exactOptional(),
});

class ModelMessageReader {
  readonly #conversation = new ConversationBuilder('ai-sdk');
  /** The latest call of each id, and where the call is that an approval is about. */
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
      return this.#conversation.addSystemPrompt(cleanText(content), optionsField(read.rest['providerOptions']), path);
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
    for (const [index, part] of parts.entries()) {
      const at = `${path}.content[${index}]`;
      const result = this.#readResult(part, true, content, at);
      if (result) results.push(result);
      else if (!attachRequest(part, content)) {
        content.push(readSpokenPart(part, at, take) ?? keepPart(part, at, take));
      }
    }
    if (isNonEmpty(content)) {
      const [first, ...others] = content;
      const message: AssistantMessage = { role: 'assistant', content: [addMark(first, { modelMessage }), ...others] };
      this.#remember(message);
      messages.push(message);
    }
    messages.push(...results);
  }

  #readTool(parts: readonly unknown[], modelMessage: PlainObject | undefined, path: string): void {
    const { messages, take } = this.#conversation;
    const results: ToolMessage[] = [];
    const strays: RawBlock[] = [];
    for (const [index, part] of parts.entries()) {
      const at = `${path}.content[${index}]`;
      const result = this.#readResult(part, false, [], at);
      if (result) results.push(result);
      else if (!this.#attachResponse(part)) strays.push(keepPart(part, at, take));
    }
    const [first, ...others] = results;
    if (first) {
      const outcome = modelMessage === undefined ? first : markOutcome(first, { modelMessage });
      messages.push({ ...first, content: [...outcome.content, ...strays] }, ...others);
    } else {
      messages.push(...strays.map((stray): UserMessage => ({ role: 'user', content: [stray] })));
    }
  }

  /** The tool message of a result; the name of its tool is that of its call and is kept only where there is no call. */
  #readResult(
    part: unknown,
    inAssistant: boolean,
    beside: readonly AssistantBlock[],
    path: string,
  ): ToolMessage | undefined {
    const read = typeOf(part) === 'tool-result' ? readFields(toolResultPart, part) : undefined;
    if (!read || isBlank(read.fields.toolCallId)) return undefined;
    const { toolCallId, toolName, output } = read.fields;
    const call = findCall(beside, toolCallId) ?? this.#calls.get(toolCallId);
    const inline = inAssistant && readMark(call).providerExecuted === true;
    const outcome = readToolOutput(output, inline, path, this.#conversation.take);
    if (!outcome) return undefined;
    const marked = markOutcome(outcome, {
      ...(Object.keys(read.rest).length === 0 ? {} : { result: read.rest }),
      ...(call === undefined ? { modelPart: { toolName } } : {}),
    });
    return { role: 'tool', tool_call_id: toolCallId, ...marked };
  }

  /** Keeps the answer to an approval request with the call that it is about. */
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

function findCall(content: readonly AssistantBlock[], id: string): ToolUseBlock | undefined {
  return content.filter((block) => block.type === 'tool-use').findLast((call) => call.id === id);
}

/** Keeps an approval request with its call, in the words of a UI part's `approval`. */
function attachRequest(part: unknown, content: AssistantBlock[]): boolean {
  const read = typeOf(part) === 'tool-approval-request' ? readFields(approvalRequest, part) : undefined;
  if (!read) return false;
  const { approvalId: id, toolCallId, reason } = read.fields;
  const index = content.findLastIndex((block) => block.type === 'tool-use' && block.id === toolCallId);
  const call = content[index];
  if (call === undefined) return false;
  const approval = { id, ...(reason === undefined ? {} : { requestReason: reason }), ...read.rest };
  content[index] = addMark(call, { approval });
  return true;
}
