import { cleanText, isPlainObject } from '@loom/blocks';
import type { Message, PlainObject } from '@loom/blocks';
import { z } from 'zod';
import { appendAll } from '../append-all.ts';
import { isChatPart, metadataField, readChatParts } from './chat-parts.ts';
import { ConversationBuilder } from '../conversation.ts';
import type { ReadConversation } from '../conversation.ts';
import { cleanString, readFields } from './field-reading.ts';
import { fromUIMessages } from './from-ui-messages.ts';
import { copyAsJson, parseJson } from '../json.ts';
import type { TakeNote } from '../note.ts';
import { markFirstBlock } from '../sdk-mark.ts';

/**
 * Reads the message rows of the chat app whose history went through four shapes: an assistant's `iterations`, both `iterations` and `parts`, `parts`
 * alone, and the AI SDK's UI parts. Rows come as the app's own objects or as stored, with the assistant's content as JSON. Never throws; an
 * unreadable row is kept whole as `raw` and noted.
 */
export function fromChatRows(rows: readonly unknown[]): ReadConversation {
  const conversation = new ConversationBuilder('chat-rows');
  for (const [index, row] of rows.entries()) readRow(row, `rows[${index}]`, conversation);
  return conversation.finish();
}

/** The prefix that earlier versions of the app put before a tool's output when they sent it as a user message. */
const OUTPUT_PREFIX = '[Tool Output]\n';

const rowSchema = z.object({
  role: z.enum(['user', 'assistant', 'system']),
  rawContent: cleanString.nullish(),
  content: z.unknown().optional(),
  parts: z.array(z.unknown()).nullish(),
  iterations: z.array(z.unknown()).nullish(),
});

const iterationSchema = z.object({ rawContent: cleanString, toolOutput: cleanString.nullish() });

type Row = z.infer<typeof rowSchema>;

/** The content of a row, in each form the row has. */
interface Body {
  parts?: readonly unknown[];
  iterations?: readonly unknown[];
  text?: string;
}

function readRow(row: unknown, path: string, conversation: ConversationBuilder): void {
  const read = readFields(rowSchema, row);
  if (!read) return conversation.keepWhole(row, path);
  const { role } = read.fields;
  const body = readBody(read.fields);
  if (role === 'system') {
    if (body.text === undefined || !conversation.atTop) return conversation.keepWhole(row, path);
    return conversation.addSystemPrompt(cleanText(body.text), {}, path);
  }
  const messages = readMessages(role, body, read.rest, path, conversation.take);
  if (messages.length === 0) return conversation.keepWhole(row, path);
  appendAll(conversation.messages, messages);
}

/** A stored row has the assistant's `iterations` and `parts` inside its content, as JSON. User messages are never JSON. */
function readBody({ role, rawContent, content, parts, iterations }: Row): Body {
  const text = rawContent ?? (typeof content === 'string' ? content : undefined);
  const stored = role === 'assistant' && text !== undefined ? parseJson(text) : undefined;
  const holder = [content, stored].find(holdsMessage) ?? {};
  const body: Body = {};
  const allParts = filledArray(parts) ?? filledArray(holder['parts']) ?? filledArray(content);
  const allIterations = filledArray(iterations) ?? filledArray(holder['iterations']);
  if (allParts) body.parts = allParts;
  if (allIterations) body.iterations = allIterations;
  if (text !== undefined && !holdsMessage(stored)) body.text = text;
  return body;
}

function holdsMessage(value: unknown): value is PlainObject {
  return isPlainObject(value) && (Array.isArray(value['parts']) || Array.isArray(value['iterations']));
}

function filledArray(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) && value.length > 0 ? value : undefined;
}

function readMessages(
  role: 'user' | 'assistant',
  { parts, iterations, text }: Body,
  fields: PlainObject,
  path: string,
  take: TakeNote,
): Message[] {
  if (parts && iterations)
    take({
      reason: 'iterations-superseded',
      path,
      message: 'The iterations were left out: the parts of the row say more.',
    });
  if (parts && !parts.some(isChatPart)) return readUIRow({ ...fields, role, parts }, path, take);
  if (parts && role === 'assistant') return keepRowFields(readChatParts(parts, path, take), fields);
  if (iterations && role === 'assistant') {
    const read = iterations.flatMap((each, index) => readIteration(each, `${path}.iterations[${index}]`, take));
    return keepRowFields(read, fields);
  }
  return text === undefined
    ? []
    : keepRowFields([{ role, content: [{ type: 'text', text: cleanText(text) }] }], fields);
}

/** The app's latest rows hold the SDK's own parts. */
function readUIRow(message: PlainObject, path: string, take: TakeNote): Message[] {
  const { messages, notes } = fromUIMessages([message]);
  for (const note of notes) take({ ...note, path: note.path.replace('messages[0]', path) });
  return messages;
}

/** One turn of the first tool loop. The tool's output went back to the model as a user message, so it stays one. */
function readIteration(iteration: unknown, path: string, take: TakeNote): Message[] {
  const read = readFields(iterationSchema, iteration);
  if (!read) {
    take({ reason: 'kept-raw', path, message: 'An iteration that Loom cannot read was kept as raw.' });
    return [{ role: 'assistant', content: [{ type: 'raw', source: 'chat-rows', value: copyAsJson(iteration) }] }];
  }
  const { rawContent, toolOutput } = read.fields;
  const messages: Message[] = [];
  if (rawContent !== '') {
    messages.push({
      role: 'assistant',
      content: [{ type: 'text', text: rawContent, ...metadataField(read.rest) }],
    });
  }
  if (toolOutput) {
    messages.push({ role: 'user', content: [{ type: 'text', text: `${OUTPUT_PREFIX}${toolOutput}` }] });
  }
  return messages;
}

/** A row's other fields, its id among them, are those of the UI message that it stands for. */
function keepRowFields(messages: readonly Message[], fields: PlainObject): Message[] {
  const [first, ...others] = messages;
  if (first === undefined || Object.keys(fields).length === 0) return [...messages];
  return [markFirstBlock(first, { uiMessage: fields }), ...others];
}
