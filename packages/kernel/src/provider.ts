import type { AssistantBlock, Message, PlainObject, StreamedField, ToolBlock } from '@loom/blocks';
import type { Usage } from './node-metadata.ts';
import type { BlobPort } from './blob-port.ts';
import type { ApprovalMode, Origin } from './op.ts';

/** A tool as a model is told of it. */
export interface ToolDescription {
  name: string;
  description: string;
  /** JSON Schema of its parameters. */
  parameters: PlainObject;
}

/** Everything that one call of a model depends on. Derived from a path; the same path gives the same bytes. */
export interface ProviderRequest {
  /** The conversation, and the node that is answered or gone on from. */
  root: string;
  node: string;
  /** The folder that the conversation works in. */
  directory?: string;
  approvalMode?: ApprovalMode;
  model: string;
  systemPrompt?: string;
  /** Coalesced, paired and reduced to what this model is shown. */
  messages: readonly Message[];
  /** Sorted by name. */
  tools: readonly ToolDescription[];
  maxTokens: number;
  /** Temperature and whatever else the provider understands. */
  settings: PlainObject;
  /** Blocks that were written after something else than what is shown before them now: a cached prefix ends at the first. */
  invalid: readonly string[];
  /** The path with what providers and importers left on it: how the session of an agent is found and resumed. */
  trail: readonly TrailEntry[];
}

/** One node of the path. */
export interface TrailEntry {
  node: string;
  note?: PlainObject;
  origin?: Origin;
}

/** What a provider may use while it speaks. */
export interface ProviderCall {
  /** Aborted when the turn is stopped: the call is to end soon, with whatever was said until then. */
  signal: AbortSignal;
  blobs: BlobPort;
  /** Keeps what was sent or received as it was, for people who want to see it. */
  record(part: 'request' | 'response', bytes: Uint8Array): void;
}

/**
 * What a provider says while it speaks. Blocks are told apart by `key`; a new `message` is a new node, and once the model
 * has begun another message, those before it get no more blocks. A provider never throws while streaming: what goes wrong
 * is a `call-error`, and either that or `call-end` is the last event.
 */
export type ProviderEvent =
  | { type: 'call-start' }
  | {
      type: 'block-start';
      key: string;
      message: string;
      role: 'assistant' | 'tool';
      tool_call_id?: string;
      /** The block as far as it is known: a text may be empty, a call has its id and name. */
      block: AssistantBlock | ToolBlock;
    }
  | { type: 'block-delta'; key: string; field: StreamedField; text: string }
  | {
      type: 'block-end';
      key: string;
      /** The final content where it is more than the sum of the deltas: parameters, signatures, exit codes. */
      block?: AssistantBlock | ToolBlock;
    }
  /** A whole block at once. */
  | {
      type: 'block';
      message: string;
      role: 'assistant' | 'tool';
      tool_call_id?: string;
      is_error?: boolean;
      block: AssistantBlock | ToolBlock;
    }
  | { type: 'usage'; usage: Usage }
  | { type: 'call-end'; reason: FinishReason }
  | { type: 'call-error'; error: { code: string; message: string; detail?: unknown } };

/** Why a model stopped. */
export type FinishReason = 'stop' | 'tool-use' | 'length' | 'refusal' | 'other';

/** Speaks the next message: an API or an agent CLI. */
export interface Provider {
  readonly id: string;
  /** It runs its own tools (an agent CLI); Loom only records what they did. */
  readonly runsTools?: boolean;
  /** Whether a model goes on with an answer that it is shown as the last message. */
  takesPrefix?(model: string): boolean;
  stream(request: ProviderRequest, call: ProviderCall): AsyncIterable<ProviderEvent>;
  /** Lets go of connections and processes. */
  close?(): Promise<void>;
}
