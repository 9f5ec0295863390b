import { isPlainObject } from '@loom/blocks';
import { z } from 'zod';
import { cleanString } from './reading/field-reading.ts';
import { isProviderOptions, isProviderReference } from './model-message.ts';
import type { ProviderOptions, ProviderReference } from './model-message.ts';

// The parts of the SDK's UI messages that Loom reads and writes. Fields that are not named here (citations, titles, future ones) are carried along
// unread. The types are assignable to the SDK's own.

export interface UIMessage {
  id: string;
  role: 'system' | 'user' | 'assistant';
  metadata?: unknown;
  parts: UIPart[];
}

export type UIPart =
  | z.infer<typeof textUIPart>
  | z.infer<typeof reasoningUIPart>
  | z.infer<typeof fileUIPart>
  | z.infer<typeof sourceUrlUIPart>
  | z.infer<typeof sourceDocumentUIPart>
  | z.infer<typeof steeringUIPart>
  | z.infer<typeof dataUIPart>
  | z.infer<typeof customUIPart>
  | z.infer<typeof reasoningFileUIPart>
  | z.infer<typeof stepStartUIPart>
  | ToolUIPart;

export type FileUIPart = z.infer<typeof fileUIPart>;
export type TextUIPart = z.infer<typeof textUIPart>;

/** A call and, once it has come, its result. */
export type ToolUIPart = ToolUIHead & ToolUIState;

type ToolUIHead = ({ type: `tool-${string}` } | { type: 'dynamic-tool'; toolName: string }) & {
  toolCallId: string;
  providerExecuted?: boolean;
  callProviderMetadata?: ProviderOptions;
};

export type ToolUIState =
  | { state: 'input-streaming'; input?: unknown }
  | { state: 'input-available'; input: unknown }
  | { state: 'approval-requested'; input: unknown; approval: { id: string } }
  | { state: 'approval-responded'; input: unknown; approval: { id: string; approved: boolean; reason?: string } }
  | { state: 'output-available'; input: unknown; output: unknown; approval?: { id: string; approved: true } }
  | { state: 'output-error'; input: unknown; errorText: string; approval?: { id: string; approved: true } }
  | { state: 'output-denied'; input: unknown; approval: { id: string; approved: false; reason?: string } };

const metadata = z.custom<ProviderOptions>(isProviderOptions).exactOptional();
const state = z.enum(['streaming', 'done']).exactOptional();

export const uiMessage = z.object({
  role: z.enum(['system', 'user', 'assistant']),
  parts: z.array(z.unknown()),
});

export const textUIPart = z.object({
  type: z.literal('text'),
  text: cleanString,
  state,
  providerMetadata: metadata,
});

export const reasoningUIPart = z.object({
  type: z.literal('reasoning'),
  text: cleanString,
  state,
  providerMetadata: metadata,
});

export const fileUIPart = z.object({
  type: z.literal('file'),
  mediaType: cleanString,
  url: cleanString,
  filename: cleanString.exactOptional(),
  providerReference: z.custom<ProviderReference>(isProviderReference).exactOptional(),
  providerMetadata: metadata,
});

export const sourceUrlUIPart = z.object({
  type: z.literal('source-url'),
  sourceId: cleanString,
  url: cleanString,
  title: cleanString.exactOptional(),
  providerMetadata: metadata,
});

export const sourceDocumentUIPart = z.object({
  type: z.literal('source-document'),
  sourceId: cleanString,
  mediaType: cleanString,
  title: cleanString,
  filename: cleanString.exactOptional(),
  providerMetadata: metadata,
});

/** A message that the user sent while the model was at work. */
export const steeringUIPart = z.object({
  type: z.literal('steering-message'),
  id: cleanString,
  parts: z.array(z.union([textUIPart, fileUIPart])),
});

const stepStartUIPart = z.object({ type: z.literal('step-start') });

const dataUIPart = z.object({
  type: z.templateLiteral(['data-', z.string()]),
  id: cleanString.exactOptional(),
  data: z.unknown(),
});

const customUIPart = z.object({
  type: z.literal('custom'),
  kind: z.templateLiteral([z.string(), '.', z.string()]),
  providerMetadata: metadata,
});

const reasoningFileUIPart = z.object({
  type: z.literal('reasoning-file'),
  mediaType: cleanString,
  url: cleanString,
  providerMetadata: metadata,
});

const approval = z.looseObject({
  id: cleanString,
  approved: z.boolean().exactOptional(),
  reason: cleanString.exactOptional(),
});

/** The fields of a tool part in any state; the reader checks the requirements of each state. */
export const toolUIPart = z.object({
  type: z.union([z.templateLiteral(['tool-', z.string()]), z.literal('dynamic-tool')]),
  toolName: cleanString.exactOptional(),
  toolCallId: cleanString,
  state: z.enum([
    'input-streaming',
    'input-available',
    'approval-requested',
    'approval-responded',
    'output-available',
    'output-error',
    'output-denied',
  ]),
  input: z.unknown().optional(),
  output: z.unknown().optional(),
  errorText: cleanString.exactOptional(),
  approval: approval.exactOptional(),
  providerExecuted: z.boolean().exactOptional(),
  callProviderMetadata: metadata,
  resultProviderMetadata: metadata,
});

const keptParts = z.union([
  textUIPart,
  reasoningUIPart,
  fileUIPart,
  sourceUrlUIPart,
  sourceDocumentUIPart,
  steeringUIPart,
  stepStartUIPart,
  dataUIPart,
  customUIPart,
  reasoningFileUIPart,
]);

/** Checks that a value that was kept raw may stand in a UI message as it is. Tool parts may not: they would be read as calls. */
export function isPlainUIPart(value: unknown): value is z.infer<typeof keptParts> {
  return isPlainObject(value) && keptParts.safeParse(value).success;
}

/** Checks that a value that was kept raw is a UI message that may go back as it is. Only a model's message may lack parts. */
export function isPlainUIMessage(value: unknown): value is UIMessage {
  if (!isPlainObject(value) || typeof value['id'] !== 'string') return false;
  const message = uiMessage.safeParse(value);
  if (!message.success) return false;
  const { role, parts } = message.data;
  return (role === 'assistant' || parts.length > 0) && parts.every(isPlainUIPart);
}
