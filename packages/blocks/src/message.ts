import { z } from 'zod';
import { isBlank } from './text/clean-text.ts';
import { assistantBlock, toolBlock, userBlock } from './content-block.ts';
import { cleanString } from './record-fields.ts';

const toolCallId = cleanString.refine((id) => !isBlank(id), {
  error: 'must name the tool-use that this message answers',
});

/** A message of a person. */
export const userMessage = z.strictObject({
  role: z.literal('user'),
  content: z.tuple([userBlock], userBlock),
});
export type UserMessage = z.infer<typeof userMessage>;

/** A message of a model; calls alone are fine. */
export const assistantMessage = z.strictObject({
  role: z.literal('assistant'),
  content: z.tuple([assistantBlock], assistantBlock),
});
export type AssistantMessage = z.infer<typeof assistantMessage>;

/** The answer of a tool. Empty is legal: many tools have nothing to say when all went well. */
export const toolMessage = z.strictObject({
  role: z.literal('tool'),
  content: z.array(toolBlock),
  tool_call_id: toolCallId,
  is_error: z.boolean().exactOptional(),
});
export type ToolMessage = z.infer<typeof toolMessage>;

/** One message: a role and its ordered blocks. */
export const message = z.discriminatedUnion('role', [userMessage, assistantMessage, toolMessage]);
export type Message = z.infer<typeof message>;
export type Role = Message['role'];
