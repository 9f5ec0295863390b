import { z } from 'zod';
import { cleanText, isBlank } from '../text/clean-text.ts';
import type { AssistantBlock, TextBlock } from '../content-block.ts';
import { FormatError, parseAs } from '../values/format-error.ts';
import type { Message } from '../message.ts';
import { isNonEmpty } from '../values/non-empty-array.ts';
import { isPlainObject } from '../values/plain-object.ts';
import { acceptMessage } from '../spelling.ts';
import { parseToolArguments, ToolArgumentParseError } from './tool-arguments.ts';

const nonBlank = z.string().refine((text) => !isBlank(text), { error: 'must not be blank' });

const legacyToolCall = z.object({
  id: nonBlank,
  type: z.literal('function').exactOptional(),
  function: z.object({ name: nonBlank, arguments: z.string() }),
});
export type LegacyToolCall = z.infer<typeof legacyToolCall>;

const toolCalls = z
  .array(legacyToolCall)
  .nullish()
  .transform((calls) => calls ?? []);

const legacyUser = z.object({ role: z.literal('user'), content: z.string().nullable() });
const legacySystem = z.object({ role: z.literal('system'), content: z.string().nullable() });
const legacyAssistant = z.object({
  role: z.literal('assistant'),
  content: z
    .string()
    .nullish()
    .transform((text) => text ?? null),
  tool_calls: toolCalls,
});
const legacyTool = z.object({ role: z.literal('tool'), content: z.string().nullable(), tool_call_id: nonBlank });

const legacyMessage = z.discriminatedUnion('role', [legacyUser, legacySystem, legacyAssistant, legacyTool]);

/** A message as Loom wrote it until September 2025: content is a string, calls are a separate field. */
export type LegacyMessage =
  | { role: 'user' | 'system'; content: string | null }
  | { role: 'assistant'; content: string | null; tool_calls?: LegacyToolCall[] }
  | { role: 'tool'; content: string | null; tool_call_id: string };

/** Checks that a stored message is of a generation before content blocks. */
export function isLegacyMessage(value: unknown): value is LegacyMessage {
  return isPlainObject(value) && !Array.isArray(value['content']) && legacyMessage.safeParse(value).success;
}

/**
 * Reads a message of any of the six generations as content blocks. Throws a `FormatError`, or a `ToolArgumentParseError`,
 * that names the problem; the caller knows the file and should name it.
 */
export function normalizeMessage(value: unknown): Message {
  if (isPlainObject(value) && Array.isArray(value['content'])) return acceptMessage(value);
  return fromLegacy(parseAs(legacyMessage, 'legacy message', value), value);
}

/**
 * The blocks of a legacy message: the text first, unless it is blank, then the calls in their order. Text is kept as it
 * is, not trimmed.
 */
export function legacyToContentBlocks(legacy: {
  content?: string | null;
  tool_calls?: readonly LegacyToolCall[] | null;
}): AssistantBlock[] {
  return [...textBlocks(legacy.content), ...(legacy.tool_calls ?? []).map(toToolUse)];
}

type ParsedLegacy = z.infer<typeof legacyMessage>;

function fromLegacy(legacy: ParsedLegacy, whole: unknown): Message {
  switch (legacy.role) {
    case 'user': {
      const content = textBlocks(legacy.content);
      return isNonEmpty(content) ? { role: 'user', content } : refuseEmpty('user');
    }
    case 'assistant': {
      const content = legacyToContentBlocks(legacy);
      return isNonEmpty(content) ? { role: 'assistant', content } : refuseEmpty('assistant');
    }
    case 'tool':
      return { role: 'tool', content: textBlocks(legacy.content), tool_call_id: cleanText(legacy.tool_call_id) };
    case 'system':
      // A prompt belongs to the root. The reader of the conversation lifts one that stands at its top; elsewhere the
      // message is kept whole, so that nothing is lost and no model takes it for a person's words.
      return { role: 'user', content: [{ type: 'raw', source: 'loom', value: whole }] };
  }
}

function textBlocks(content: string | null | undefined): TextBlock[] {
  return typeof content === 'string' && !isBlank(content) ? [{ type: 'text', text: cleanText(content) }] : [];
}

function toToolUse(call: LegacyToolCall): AssistantBlock {
  const { name, arguments: text } = call.function;
  for (const [field, value] of Object.entries({ id: call.id, name })) {
    if (isBlank(value)) throw new FormatError('tool call', [{ path: field, message: 'must not be blank' }]);
  }
  const parsed = parseToolArguments(text);
  if (!parsed.ok) throw new ToolArgumentParseError(call.id, name, text, parsed.parseError);
  return { type: 'tool-use', id: cleanText(call.id), name: cleanText(name), ...parsed.fields };
}

function refuseEmpty(role: string): never {
  throw new FormatError(`legacy ${role} message`, [
    { path: 'content', message: 'has neither text nor tool calls; a message needs at least one block' },
  ]);
}
