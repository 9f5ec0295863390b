import { toolUsesOf } from '@loom/blocks';
import type { AssistantMessage, Message, ToolMessage, UserMessage } from '@loom/blocks';
import { appendAll } from '../append-all.ts';
import { pairCalls } from './call-pairing.ts';
import type { Answer } from './call-pairing.ts';
import type { SystemDetails } from '../conversation.ts';
import type { FilePort, LoadBlob } from './file-writing.ts';
import { LOOM_RESULT, withoutIdentity } from '../loom-parts.ts';
import type { TakeNote } from '../note.ts';
import { readMark } from '../sdk-mark.ts';
import type { SdkMark } from '../sdk-mark.ts';
import { isPlainUIMessage } from '../ui-message.ts';
import type { UIMessage, UIPart } from '../ui-message.ts';
import { isSteeringContent, withFields, writeParts } from './ui-part-writing.ts';
import { fitsToolPart, writeToolPart } from './ui-tool-writing.ts';

export interface ToUIMessagesOptions {
  /** Written as a first message of role `system`. */
  systemPrompt?: string;
  systemDetails?: SystemDetails;
  /** Makes the id of a message that did not come from the SDK, from its place in the output. Default: `message-<n>`. */
  messageId?: (index: number) => string;
  /** Fetches blobs, which become data URLs; without it a blob's block is kept as data. */
  loadBlob?: LoadBlob;
  onNote?: TakeNote;
}

/**
 * Converts messages to the AI SDK's UI messages. An assistant message that follows results continues the UI message of their calls as its next step;
 * messages that came from one UI message join again. Rejects only if `loadBlob` does.
 */
export async function toUIMessages(
  messages: readonly Message[],
  options: ToUIMessagesOptions = {},
): Promise<UIMessage[]> {
  const writer = new UIMessageWriter(options, messages);
  if (options.systemPrompt !== undefined) writer.writeSystem(options.systemPrompt, options.systemDetails ?? {});
  const { answers, orphans } = pairCalls(messages, toolUsesOf);
  const orphaned = new Set(orphans);
  for (const [index, message] of messages.entries()) {
    const path = `messages[${index}]`;
    if (message.role === 'user') await writer.writeUser(message, path);
    else if (message.role === 'assistant') await writer.writeAssistant(message, path, answers.get(index) ?? []);
    else writer.writeResult(message, path, orphaned.has(index));
  }
  return writer.written;
}

class UIMessageWriter {
  readonly written: UIMessage[] = [];
  readonly #port: FilePort;
  readonly #messageId: (index: number) => string;
  /** The model's UI message that may still grow. */
  #open: UIMessage | undefined;
  /** True if calls or results came last, so that an assistant message without a mark continues the same turn. */
  #amidTools = false;

  constructor(options: ToUIMessagesOptions, messages: readonly Message[]) {
    this.#port = { loadBlob: options.loadBlob, take: options.onNote ?? (() => {}) };
    this.#messageId = options.messageId ?? freshIds(messages);
  }

  writeSystem(text: string, { id, metadata, providerOptions }: SystemDetails): void {
    this.written.push({
      id: id ?? this.#newId(),
      role: 'system',
      ...(metadata === undefined ? {} : { metadata }),
      parts: [{ type: 'text', text, ...(providerOptions === undefined ? {} : { providerMetadata: providerOptions }) }],
    });
  }

  async writeUser(message: UserMessage, path: string): Promise<void> {
    const mark = readMark(message.content[0]);
    if (this.#restoreWhole(message)) return;
    const parts = await this.#writeBlocks(message, path);
    if (mark.steering !== undefined && parts.every(isSteeringContent)) {
      const id = mark.steering['id'];
      const steering = { type: 'steering-message' as const, id: typeof id === 'string' ? id : this.#newId(), parts };
      const { parts: opened } = this.#openFor(mark);
      appendAll(opened, boundaries(mark.steps ?? 0));
      opened.push(withFields(steering, mark.steering));
      return;
    }
    this.#open = undefined;
    appendAll(this.#start('user', mark).parts, parts);
  }

  async writeAssistant(
    message: AssistantMessage,
    path: string,
    answers: readonly (Answer | undefined)[],
  ): Promise<void> {
    if (this.#restoreWhole(message)) return;
    const mark = readMark(message.content[0]);
    const { parts } = this.#openFor(mark);
    appendAll(parts, boundaries(mark.steps ?? 1));
    const remaining = answers.values();
    for (const [index, block] of message.content.entries()) {
      const at = `${path}.content[${index}]`;
      if (block.type !== 'tool-use') {
        appendAll(parts, await writeParts(block, at, this.#port));
        continue;
      }
      const result = remaining.next().value?.message;
      parts.push(writeToolPart(block, result, at, this.#port.take));
      if (result && !fitsToolPart(block, result)) parts.push(resultPart(result));
    }
    this.#amidTools = answers.length > 0;
  }

  /** Writes results with their calls; one without a call is kept as data in its place. */
  writeResult(message: ToolMessage, path: string, orphaned: boolean): void {
    this.#amidTools = true;
    if (!orphaned) return;
    this.#port.take({ reason: 'result-orphaned', path, message: 'A result without a call was kept as data.' });
    this.#openFor({}).parts.push(resultPart(message));
  }

  async #writeBlocks(message: UserMessage, path: string): Promise<UIPart[]> {
    const parts: UIPart[] = [];
    for (const [index, block] of message.content.entries()) {
      appendAll(parts, await writeParts(block, `${path}.content[${index}]`, this.#port));
    }
    return parts;
  }

  /** Writes a UI message that was kept whole back unchanged if it is still a valid one. */
  #restoreWhole(message: UserMessage | AssistantMessage): boolean {
    const [first] = message.content;
    if (first.type !== 'raw' || first.source !== 'ai-sdk' || readMark(first).whole !== true) return false;
    if (!isPlainUIMessage(first.value)) return false;
    this.#open = undefined;
    this.written.push(first.value);
    return true;
  }

  #openFor(mark: SdkMark): UIMessage {
    const goesOn = mark.uiMessage === undefined && (mark.steps !== undefined || this.#amidTools);
    if (this.#open === undefined || !goesOn) this.#open = this.#start('assistant', mark);
    return this.#open;
  }

  #start(role: 'user' | 'assistant', { uiMessage = {} }: SdkMark): UIMessage {
    const { id, ...fields } = uiMessage;
    const message: UIMessage = { id: typeof id === 'string' ? id : this.#newId(), role, parts: [] };
    const complete = withFields(message, fields);
    this.written.push(complete);
    return complete;
  }

  #newId(): string {
    return this.#messageId(this.written.length);
  }
}

/** `message-<n>`, counting past ids that came with the messages. */
function freshIds(messages: readonly Message[]): (index: number) => string {
  const used = new Set(messages.map((message) => readMark(message.content[0]).uiMessage?.['id']));
  let last = 0;
  return (index) => {
    // All numbers between an earlier index and the number it got were taken.
    let number = Math.max(index, last) + 1;
    while (used.has(`message-${number}`)) number += 1;
    last = number;
    return `message-${number}`;
  };
}

/** More empty steps than any client makes: a stored number must not decide how much memory is used. */
const MAX_BOUNDARIES = 100_000;

function boundaries(count: number): UIPart[] {
  return Array.from({ length: Math.min(count, MAX_BOUNDARIES) }, () => ({ type: 'step-start' as const }));
}

function resultPart(result: ToolMessage): UIPart {
  return { type: LOOM_RESULT, data: { ...result, content: result.content.map(withoutIdentity) } };
}
