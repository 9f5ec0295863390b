import type { ToolBlock } from '../content-block.ts';
import type { Outcome } from './outcome.ts';

/** The part of a tool-use that views need. `parameters` may be anything that a model or an agent wrote. */
export interface ToolCall {
  name: string;
  parameters: unknown;
}

/** The result of a call: the exact text that the model saw, and the agent's own structured payload where there is one. */
export interface ToolResult {
  text?: string;
  native?: unknown;
  is_error?: boolean;
}

/** The view of one kind of tool. Both functions are total: they return `[]` where there is nothing sensible to show. */
export interface View {
  /** Shows what the call is about to do, from its parameters alone. */
  ofCall(parameters: unknown): ToolBlock[];
  /** Shows what the call did. Blocks that claim a change are dropped by the caller if the outcome failed. */
  ofResult(parameters: unknown, outcome: Outcome): ToolBlock[];
}

/**
 * The `metadata` of a view that shows the request, because the agent did not report the result. Line numbers of such a diff
 * count within the replaced text.
 */
export const fromParameters = { basis: 'parameters' } as const;
