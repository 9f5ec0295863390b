import type { PlainObject, ToolBlock } from '@loom/blocks';
import type { ToolDescription } from './provider.ts';
import type { StopSignal } from './stop-signal.ts';

/** A call as the model made it. */
export interface ToolInvocation {
  id: string;
  name: string;
  parameters: PlainObject;
  /** The exact argument string; approvals are bound to it. */
  arguments: string;
}

/** What a tool answered. */
export interface ToolOutcome {
  content: ToolBlock[];
  is_error?: boolean;
}

/** Whether a call may run: at once, after a person approved it, or only after a person answered a question. */
export type ToolPermission = 'run' | 'ask' | 'question';

/** Something that a model may use. */
export interface Tool extends ToolDescription {
  permission(invocation: ToolInvocation): ToolPermission;
  /** Does it. `answer` is what the person said, for tools that ask a question. Rejecting counts as an error result. */
  run(invocation: ToolInvocation, signal: StopSignal, answer: string | undefined): Promise<ToolOutcome>;
}
