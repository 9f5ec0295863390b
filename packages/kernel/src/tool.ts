import type { BlobPort } from './blob-port.ts';
import type { MessageBlock, PlainObject, StreamedField, ToolBlock } from '@loom/blocks';
import type { Answer, ApprovalMode, PermissionRule, Question } from './op.ts';
import type { ProcessPort } from './ports.ts';
import type { ToolDescription } from './provider.ts';
import type { Outcome } from './refusal.ts';

/** A call as the model made it. */
export interface ToolInvocation {
  id: string;
  name: string;
  parameters: PlainObject;
  /** The exact argument string; approvals are bound to it. */
  arguments: string;
}

/** Asks for an operation of Loom; the outcome is data, also if it is refused. */
export type CallAsModel = (operation: string, params: unknown) => Promise<Outcome<unknown>>;

/** A call with the blocks of its result. */
export interface EarlierCall {
  readonly name: string;
  readonly parameters: PlainObject;
  readonly blocks: readonly MessageBlock[];
}

/** The surroundings of a call. */
export interface ToolContext {
  root: string;
  /** The node of its result. */
  node: string;
  /** The turn that the call belongs to. */
  turn: string;
  /** The agent that calls: the model. */
  agent: string;
  /**
   * The agent that asked for the turn, such as a person, or `loom:queue` for the answer to a message that was queued. `agent` itself if that
   * began the turn without being asked. Absent where an older version has not kept it.
   */
  startedBy?: string;
  /** The folder that the conversation works in. */
  directory?: string;
  approvalMode?: ApprovalMode;
  /** The rules that an owner has allowed for more than one call of this conversation. */
  allowed?: readonly PermissionRule[];
  /** Aborted when the turn is stopped; the tool has a moment to tidy up. */
  signal: AbortSignal;
  blobs: BlobPort;
  /** Starts programs, which end with the turn at the latest unless the tool gives its own signal. Absent where Loom runs none. */
  processes?: Pick<ProcessPort, 'spawn'>;
  /** Asks for an operation in the model's name, in its own conversation: what a model may not do is refused. */
  call: CallAsModel;
  /** Returns the calls of this branch that have a result, the newest first: what the model knows from before a restart. */
  earlierCalls?: () => readonly EarlierCall[];
  /** The person's words, for a tool that asks a question. */
  answer?: string;
  /** One for each question, in their order. */
  answers?: readonly Answer[];
}

/**
 * The permission of a call to run: at once, after a person approved it, only after a person answered a question, or not at
 * all.
 */
export type ToolPermission = 'run' | 'ask' | 'question' | 'deny';

/** A tool's description of a call before it runs. */
export interface PreparedCall {
  permission: ToolPermission;
  /** The blocks shown to a person who decides: a diff, a command line, a question. For `deny`, its text is the reason. */
  preview?: ToolBlock[];
  /** For `question`: the questions, with choices. */
  questions?: Question[];
  /** For `ask`: the rules that "always" would store. */
  rules?: PermissionRule[];
  /** The rule that decided, if one did. For `run` the log keeps it with the call. */
  rule?: PermissionRule;
  /** For `ask`: the modes that the approval may give the conversation, the usual one first. */
  modes?: ApprovalMode[];
}

/**
 * Blocks that grow while a tool runs, told apart by keys. Everything is done in the order of the calls, whether or not the tool waits for
 * the promises, which never reject; a tool with much to say waits, so that memory does not fill up.
 */
export interface ToolOutput {
  start(key: string, block: ToolBlock): Promise<void>;
  append(key: string, field: StreamedField, text: string): Promise<void>;
  /**
   * The final content if it is more than the sum of the appended pieces: an exit code, a duration. A command's outputs are
   * those that were appended, unless it says others.
   */
  end(key: string, block?: ToolBlock): Promise<void>;
}

/** The answer of a tool. Its blocks stand behind those that it streamed. */
export interface ToolOutcome {
  content: ToolBlock[];
  is_error?: boolean;
}

/** The kinds of tools that people switch on and off together. */
export type ToolGroup = 'files' | 'shell' | 'web' | 'forest' | 'other';

/** The effect of a tool outside of the conversation: it looks, changes files, or runs programs and reaches other machines. */
export type ToolEffect = 'reads' | 'changes' | 'runs';

/** A tool for models. */
export interface Tool extends ToolDescription {
  /** Other names that models may call it by; they are not described to models. */
  aliases?: readonly string[];
  /** Default: `other`. */
  group?: ToolGroup;
  /** Default: `runs`, because nothing is known about it. */
  effect?: ToolEffect;
  /** True if it works in the folder of a conversation, and is of no use without one. */
  needsFolder?: boolean;
  /** The models that it suits best, where others are offered another tool for the same. Default: all. */
  family?: 'gpt' | 'other';
  /** The modes of conversations that it is offered in. Default: all. */
  modes?: readonly ApprovalMode[];
  /** The provider whose models it was made for; models of others are offered it only where a person wants that. */
  madeFor?: string;
  /** The name of the server that runs it. Absent for Loom's own. */
  server?: string;
  /**
   * The reason that no model may use it for now: an owner has switched it off everywhere, or its description is no longer the one that an
   * owner has seen.
   */
  withheld?: 'off' | 'changed';
  /** True if models write drafts with it: it is offered where a conversation holds some. */
  forDrafts?: boolean;
  /** The bytes of `stdout` and `stderr` that are kept of one call's stream; further output is counted and dropped. Default: 1 GB. */
  outputLimit?: number;
  /** Looks at a call without doing anything. Rejecting counts as an error result. */
  prepare(invocation: ToolInvocation, context: ToolContext): Promise<PreparedCall>;
  /** Does it. Rejecting counts as an error result. */
  run(invocation: ToolInvocation, context: ToolContext, out: ToolOutput): Promise<ToolOutcome>;
}
