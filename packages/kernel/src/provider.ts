import type { AssistantBlock, Message, PlainObject, StreamedField, ToolBlock } from '@loom/blocks';
import type { Usage } from './node-metadata.ts';
import type { StopSignal } from './stop-signal.ts';

/** A tool as a model is told of it. */
export interface ToolDescription {
  name: string;
  description: string;
  /** JSON Schema of its parameters. */
  parameters: PlainObject;
}

/** Everything that one call of a model depends on. Derived from a path; the same path gives the same bytes. */
export interface ProviderRequest {
  model: string;
  systemPrompt?: string;
  /** Coalesced, paired and reduced to what this model is shown. */
  messages: readonly Message[];
  /** Sorted by name. */
  tools: readonly ToolDescription[];
  maxTokens: number;
  /** Temperature and whatever else the provider understands. */
  settings: PlainObject;
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
  /** Speaks. Ends soon after the signal is stopped, with whatever was said until then. */
  stream(request: ProviderRequest, signal: StopSignal): AsyncIterable<ProviderEvent>;
}
