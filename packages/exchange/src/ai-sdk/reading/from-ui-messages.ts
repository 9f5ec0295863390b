import { isNonEmpty, isPlainObject } from '@loom/blocks';
import type { PlainObject, UserMessage } from '@loom/blocks';
import { appendAll } from '../append-all.ts';
import { ConversationBuilder } from '../conversation.ts';
import type { ReadConversation, SystemDetails } from '../conversation.ts';
import { readFields, typeOf } from './field-reading.ts';
import type { TakeNote } from '../note.ts';
import { addMark } from '../sdk-mark.ts';
import type { SdkMark } from '../sdk-mark.ts';
import { StepReader } from './ui-step-reading.ts';
import { steeringUIPart, textUIPart, uiMessage } from '../ui-message.ts';
import { readUserPart } from './ui-part-reading.ts';

/**
 * Reads the AI SDK's UI messages. A UI message of a model holds all its steps and their results; here each step is a separate message, followed by
 * its results. `toUIMessages` joins them again. Never throws and never drops.
 */
export function fromUIMessages(messages: readonly unknown[]): ReadConversation {
  const conversation = new ConversationBuilder('ai-sdk');
  for (const [index, message] of messages.entries()) readMessage(message, `messages[${index}]`, conversation);
  return conversation.finish();
}

function readMessage(message: unknown, path: string, conversation: ConversationBuilder): void {
  const read = readFields(uiMessage, message);
  if (!read) return conversation.keepWhole(message, path);
  const { role, parts } = read.fields;
  if (parts.length === 0) return conversation.keepWhole(message, path, role === 'assistant' ? role : 'user');
  switch (role) {
    case 'system':
      if (conversation.atTop) readSystem(parts, read.rest, path, conversation);
      else conversation.keepWhole(message, path);
      return;
    case 'user': {
      const user = readUserMessage(parts, { uiMessage: read.rest }, path, conversation.take);
      if (user) conversation.messages.push(user);
      return;
    }
    case 'assistant':
      return readAssistant(parts, read.rest, path, conversation);
  }
}

function readSystem(
  parts: readonly unknown[],
  { id, metadata }: PlainObject,
  path: string,
  conversation: ConversationBuilder,
): void {
  const texts = parts.flatMap((part) => readFields(textUIPart, part)?.fields ?? []);
  const details: SystemDetails = {};
  if (typeof id === 'string') details.id = id;
  if (metadata !== undefined) details.metadata = metadata;
  for (const { providerMetadata } of texts) {
    if (providerMetadata) details.providerOptions = { ...details.providerOptions, ...providerMetadata };
  }
  conversation.addSystemPrompt(texts.map(({ text }) => text).join(''), details, path);
}

function readUserMessage(
  parts: readonly unknown[],
  mark: SdkMark,
  path: string,
  take: TakeNote,
): UserMessage | undefined {
  const content = parts.map((part, index) => readUserPart(part, `${path}.parts[${index}]`, take));
  if (!isNonEmpty(content)) return undefined;
  const [first, ...others] = content;
  return { role: 'user', content: [addMark(first, mark), ...others] };
}

function readAssistant(
  parts: readonly unknown[],
  fields: PlainObject,
  path: string,
  conversation: ConversationBuilder,
): void {
  const steps = new StepReader(fields, conversation.take);
  for (const [index, part] of parts.entries()) {
    const at = `${path}.parts[${index}]`;
    const type = typeOf(part);
    const steering = type === 'steering-message' ? readFields(steeringUIPart, part) : undefined;
    if (type === 'step-start' && isPlainObject(part) && Object.keys(part).length === 1) {
      steps.startStep();
    } else if (steering && isNonEmpty(steering.fields.parts)) {
      const mark = { ...steps.interrupt(), steering: { id: steering.fields.id, ...steering.rest } };
      const user = readUserMessage(steering.fields.parts, mark, at, conversation.take);
      if (user) steps.messages.push(user);
    } else {
      steps.add(part, at);
    }
  }
  appendAll(conversation.messages, steps.finish());
}
