import { isPlainObject } from '@loom/blocks';
import { isJsonObject } from './json.ts';
import type { JsonObject, JsonValue } from './json.ts';

/**
 * The messages that `toModelMessages` writes. Narrower than the SDK's own `ModelMessage`, to which they are assignable:
 * content is always an array, files are always `file` parts with tagged data, approvals are never written.
 */
export type ModelMessage = SystemModelMessage | UserModelMessage | AssistantModelMessage | ToolModelMessage;

/** Opaque data per provider; goes back to the provider that wrote it, values untouched. */
export type ProviderOptions = Record<string, JsonObject>;

interface WithProviderOptions {
  providerOptions?: ProviderOptions;
}

export interface SystemModelMessage extends WithProviderOptions {
  role: 'system';
  content: string;
}

export interface UserModelMessage extends WithProviderOptions {
  role: 'user';
  content: (TextPart | FilePart)[];
}

export interface AssistantModelMessage extends WithProviderOptions {
  role: 'assistant';
  content: AssistantPart[];
}

export interface ToolModelMessage extends WithProviderOptions {
  role: 'tool';
  content: ToolResultPart[];
}

export type AssistantPart = TextPart | FilePart | ReasoningPart | ToolCallPart | ToolResultPart;

export interface TextPart extends WithProviderOptions {
  type: 'text';
  text: string;
}

export interface ReasoningPart extends WithProviderOptions {
  type: 'reasoning';
  text: string;
}

export interface FilePart extends WithProviderOptions {
  type: 'file';
  mediaType: string;
  data: FileData;
  filename?: string;
}

export type FileData =
  | { type: 'data'; data: Uint8Array | string }
  | { type: 'url'; url: URL }
  | { type: 'reference'; reference: ProviderReference }
  | { type: 'text'; text: string };

/** The ids that providers gave to one uploaded file. Has no `type`, so that it cannot be mistaken for tagged data. */
export type ProviderReference = Record<string, string> & { type?: never };

export interface ToolCallPart extends WithProviderOptions {
  type: 'tool-call';
  toolCallId: string;
  toolName: string;
  input: unknown;
  providerExecuted?: boolean;
}

export interface ToolResultPart extends WithProviderOptions {
  type: 'tool-result';
  toolCallId: string;
  toolName: string;
  output: ToolResultOutput;
}

export type ToolResultOutput = WithProviderOptions &
  (
    | { type: 'text'; value: string }
    | { type: 'json'; value: JsonValue }
    | { type: 'error-text'; value: string }
    | { type: 'error-json'; value: JsonValue }
    | { type: 'execution-denied'; reason?: string }
    | { type: 'content'; value: (TextPart | FilePart)[] }
  );

/** Checks that the SDK accepts a value as provider options or metadata: a JSON object per provider. */
export function isProviderOptions(value: unknown): value is ProviderOptions {
  return isPlainObject(value) && Object.values(value).every(isJsonObject);
}

/** True for a mapping of provider names to file ids. */
export function isProviderReference(value: unknown): value is ProviderReference {
  return isPlainObject(value) && !('type' in value) && Object.values(value).every((id) => typeof id === 'string');
}
