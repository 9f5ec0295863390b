import type {
  AssistantBlock,
  Continuation,
  FileChangeBlock,
  Message,
  PlainObject,
  StreamedField,
  ToolBlock,
  UserBlock,
} from '@loom/blocks';
import type { Usage } from './node-metadata.ts';
import type { BlobPort } from './blob-port.ts';
import type { Answer, ApprovalMode, Ask, DecisionScope, Notice, Origin, PermissionRule, ToolState } from './op.ts';
import type { Outcome } from './refusal.ts';

/** A tool as described to a model. */
export interface ToolDescription {
  name: string;
  description: string;
  /** JSON Schema of its parameters. */
  parameters: PlainObject;
}

/** All inputs of one call of a model. Derived from a path; the same path gives the same bytes. */
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
  /** The longest answer, in tokens; without it, as long as the model's server lets it. */
  maxTokens?: number;
  /** Temperature and other settings that the provider understands. */
  settings: PlainObject;
  /**
   * Blocks that were written after something else than the blocks that now stand before them: a cached prefix ends at the
   * first.
   */
  invalid: readonly string[];
  /** The path with what providers and importers left on it: how the session of an agent is found and resumed. */
  trail: readonly TrailEntry[];
}

/** One node of the path. */
export interface TrailEntry {
  node: string;
  role: 'user' | 'assistant' | 'tool';
  note?: PlainObject;
  origin?: Origin;
}

/** A message that waits for its place in a turn. */
export interface SteeringMessage {
  id: string;
  blocks: readonly UserBlock[];
}

/** The decision of a person. */
export interface Approval {
  decision: 'approved' | 'denied' | 'answered';
  /** The reason that it was denied, or the answer to its question. */
  text?: string;
  by: string;
  /** Its reach, and the rules that stand for everything beyond this call. */
  scope?: DecisionScope;
  rules?: readonly PermissionRule[];
  /** One for each question, in their order. */
  answers?: readonly Answer[];
  /** The parameters that the person put in the place of the model's. */
  parameters?: PlainObject;
  /** The mode that the conversation goes on in, where the question offered some (`Ask.modes`) and was approved. */
  mode?: ApprovalMode;
}

/** A branch as a session that another program can go on with. */
export interface BranchSession {
  /** The session's id in the program. */
  id: string;
  /** The path at which the program looks for it, below its own folder. */
  path: string;
  /** The command that goes on with it. */
  command: readonly string[];
  /** The last node that it holds. The provider says the rest of the `trail` itself. */
  end: string;
  /** The lines of its file, each with its break. */
  lines: () => AsyncIterable<string>;
  /** Returns notes about content that could not be said as it is, in sentences; complete once all lines were read. */
  notes: () => readonly string[];
}

/** The reason that a branch has no session. */
export type SessionRefusal =
  /** `formats`: those that exist. */
  | { reason: 'unknown-format'; formats: readonly string[] }
  /** Nothing stands before the message to answer. */
  | { reason: 'nothing-said' }
  /** Nothing on the path can be said in such a session, for the reasons in `notes`. */
  | { reason: 'not-expressible'; notes: readonly string[] };

export type SessionOutcome = { ok: true; session: BranchSession } | { ok: false; refusal: SessionRefusal };

/** The end of the session of a branch, and the folder it works in. */
export interface SessionOptions {
  /** A node of the `trail`. Default: the last one before the messages to answer. */
  end?: string;
  /** Default: the folder of the conversation. */
  directory?: string;
}

/** The means that a provider may use while it speaks. */
export interface ProviderCall {
  /** The turn that it speaks in; absent where it is asked outside of one, such as for a title. */
  turn?: string;
  /** Aborted when the turn is stopped: the call is to end soon, with the words said until then. */
  signal: AbortSignal;
  blobs: BlobPort;
  /**
   * The messages that people send to the turn while it runs. A provider that can pass one on says `heard`; the rest are said
   * after its call.
   */
  steering: AsyncIterable<SteeringMessage>;
  /**
   * Puts a question of a call that the provider runs itself to a person, once the call was read. Rejects when the turn is stopped, or when the
   * provider ends without having made the call.
   */
  decide(call: string, ask: Ask): Promise<Approval>;
  /**
   * Gives the branch as a session of another program, `claude-code` or `codex`, for an agent that has not spoken in it. Its messages are known
   * by their names there when the answer comes, so that an import of the session finds them.
   */
  session(format: string, options?: SessionOptions): Promise<SessionOutcome>;
  /**
   * Keeps a request or response as it was, without keys, for people who want to see it: a `request` whole, once for each
   * try, then the `response` in as many pieces as it comes in.
   */
  record(part: 'request' | 'response', bytes: Uint8Array): void;
}

/**
 * An event of a provider while it speaks. Blocks are told apart by `key`; a new `message` is a new node, and once the model
 * has begun another message, those before it get no more blocks. A provider never throws while streaming: a failure is a
 * `call-error`, and either that or `call-end` is the last event.
 */
export type ProviderEvent =
  | { type: 'call-start' }
  | ({
      type: 'block-start';
      key: string;
      message: string;
      role: 'assistant' | 'tool';
      tool_call_id?: string;
      /** The known part of the block: a text may be empty, a call has its id and name. */
      block: AssistantBlock | ToolBlock;
      /** The message's name in the session of an agent. */
      origin?: Origin;
    } & OfChild)
  | ({ type: 'block-delta'; key: string; field: StreamedField; text: string } & OfChild)
  | ({
      type: 'block-end';
      key: string;
      /** The final content where it is more than the sum of the deltas: parameters, signatures, exit codes. */
      block?: AssistantBlock | ToolBlock;
    } & OfChild)
  /** A whole block at once. */
  | ({
      type: 'block';
      message: string;
      role: 'assistant' | 'tool';
      tool_call_id?: string;
      is_error?: boolean;
      block: AssistantBlock | ToolBlock;
      origin?: Origin;
    } & OfChild)
  /** Takes back what a key has said, as if it had never been said; the log keeps it. */
  | ({ type: 'retract'; key: string } & OfChild)
  /** The state of a call that the provider runs itself, before or between its results. */
  | ({ type: 'tool-state'; call: string; state: Exclude<ToolState, 'waiting'> } & OfChild)
  /** A call that the provider runs itself is the work of another agent, whose words come with this `child`. */
  | { type: 'child'; child: string; call: string; prompt?: string }
  /** A message that the agent's program wrote in a person's name, and that its model has read: its next words come behind it. */
  | ({
      type: 'notice';
      message: string;
      kind: string;
      blocks: readonly UserBlock[];
      origin?: Origin;
      /** The names of its blocks in the agent's own session. */
      keys?: readonly string[];
    } & OfChild)
  /** A message of `steering` has reached the model; its next words come behind it. */
  | { type: 'heard'; id: string }
  /** Kept on a node for later calls, which find it in the `trail`; fields of several notes are joined. Without a message: on the last one. */
  | { type: 'note'; data: PlainObject; message?: string }
  /**
   * The name of a message in the agent's own session, once that is known, and `keys` for its blocks: so an import of the session finds it. Without
   * a message it is the one that the call answers; `heard` is one of `steering`. A provider that runs its tools may still say names when it was
   * stopped, as long as it has time to tidy up.
   */
  | ({ type: 'named'; message?: string; heard?: string; origin: Origin; keys?: readonly string[] } & OfChild)
  /** The session of another program that this conversation is from now on. */
  | ({ type: 'session'; source: string; id: string } & OfChild)
  /** The call did not succeed and is made again after a while. */
  | { type: 'retrying'; attempt: number; delay_ms: number; reason: string }
  /** The cost of the call so far: the last one counts. */
  | { type: 'usage'; usage: Usage }
  | { type: 'call-end'; reason: FinishReason }
  | { type: 'call-error'; error: CallError };

/** The sub-conversation that an event belongs to. */
interface OfChild {
  child?: string;
}

/** The failure of a call. */
export interface CallError {
  code: CallErrorCode;
  message: string;
  /** The wait before another try, in milliseconds, if the provider names one. */
  retry_after_ms?: number;
  /** Another try would end the same way, though its code is one of those that pass. */
  final?: true;
  detail?: unknown;
}

export const callErrorCodes = [
  /** The key is missing, wrong or without the right. */
  'auth',
  /** The account is empty. */
  'quota',
  'rate-limit',
  'overloaded',
  /** The context is longer than the model can read. */
  'too-long',
  /** The provider declines to answer. */
  'refused',
  /** The request is not what the provider expects. */
  'invalid-request',
  'unknown-model',
  'network',
  'timeout',
  /** The answer of the other side could not be understood. */
  'protocol',
  /** It was told to stop. */
  'stopped',
  'failed',
] as const;
export type CallErrorCode = (typeof callErrorCodes)[number];

/** The reason that a model stopped. */
export type FinishReason = 'stop' | 'tool-use' | 'length' | 'refusal' | 'other';

/** One of several that a person may choose. */
export interface OfferedChoice {
  name: string;
  /** A sentence about it. */
  about?: string;
}

/** A model with the facts that its server states. Its price stands in no such list. */
export interface OfferedModel extends OfferedChoice {
  /** The time of its release, in milliseconds. */
  created?: number;
  /** The context window and the longest answer, in tokens. */
  context?: number;
  output?: number;
  images?: boolean;
  files?: boolean;
  thinking?: boolean;
  tools?: boolean;
}

/** The reason that a provider could not say what it offers, though it may answer. */
export interface OfferProblem {
  /** `key-refused`: it does not take the key. `no-answer`: it was not reached in time. `unreadable`: it answers with something else. */
  code: 'key-refused' | 'no-answer' | 'unreadable';
  /** One sentence, and what to do about it. */
  message: string;
}

/** The models, modes and commands of a provider at the moment, for people who choose. */
export interface ProviderOffer {
  /** `missing` says what to do about it; `failed` leaves the models that are known otherwise usable. */
  state:
    | { type: 'installed'; version?: string }
    | { type: 'missing'; message: string; needs?: 'login' }
    | ({ type: 'failed' } & OfferProblem);
  /** The models, by the names that `turn.start` takes. */
  models?: readonly OfferedModel[];
  /** Ways to work, from asking before everything to asking nothing, by its own names. */
  modes?: readonly OfferedChoice[];
  /** Messages that begin with `/` and such a name mean something to it. */
  commands?: readonly OfferedChoice[];
  /** A sentence for people, such as that its version was not tried. */
  remark?: string;
}

/** A turn that an agent begins without being asked, such as when a task in its background has ended. */
export interface AgentStart {
  root: string;
  /** The turn that it spoke in last (`ProviderCall.turn`). Its words go below that one's; while that one runs they wait for its end. */
  after: string;
  /**
   * The name, in the agent's session, of a sub-agent that was sent out on this branch: the turn goes on in its conversation, below its last
   * words. Refused if no such conversation is known.
   */
  session?: Origin;
  /** Default: the model of that turn. */
  model?: string;
  /** The message that made it begin, which it has read in the place of a person's. */
  notice?: Notice & { blocks: readonly UserBlock[] };
  /**
   * Streams the turn's events once the turn is durable. Anything that the turn is asked afterwards goes to the provider's
   * own `stream`.
   */
  stream: Provider['stream'];
}

/** The turn, and the node that it answers. */
export interface BegunTurn {
  turn: string;
  node: string;
}

/** The means that a provider may use outside of its calls. */
export interface ProviderHost {
  /**
   * Opens a turn in which the agent speaks. It can be watched, steered and stopped like any other. Rejects when the store fails, and once
   * Loom is being closed. Waiting for it inside of the call that it waits for would be waiting for ever.
   */
  begin(start: AgentStart): Promise<Outcome<BegunTurn>>;
  /**
   * Adds the files that one of its turns has changed to the last message of that turn, for people. Meant for a turn that was stopped, in which
   * nothing else can be said. Rejects when the store fails.
   */
  changed(files: ChangedFiles): Promise<Outcome<null>>;
  /** Gives the conversation the mode in which the agent goes on because a person has allowed it. Rejects when the store fails. */
  changeMode(change: ModeChange): Promise<Outcome<null>>;
}

/** Another mode of an agent, and thereby of its conversation. */
export interface ModeChange {
  root: string;
  /** The turn in which a person has allowed it, which has to be one of the provider's own. */
  turn: string;
  mode: ApprovalMode;
}

/** The files that a turn of an agent has changed. */
export interface ChangedFiles {
  root: string;
  /** The turn, which has to be one of the provider's own. */
  turn: string;
  block: FileChangeBlock;
}

/** The program and its arguments, and the folder to start it in; or the reason that there is none, with what to do. */
export type TerminalCommand = { ok: true; words: readonly string[]; directory?: string } | { ok: false; why: string };

/** Speaks the next message: an API or an agent CLI. */
export interface Provider {
  readonly id: string;
  /** True if it runs its own tools (an agent CLI); Loom only records what they did. */
  readonly runsTools?: boolean;
  /** True if its turns need a folder to work in: a conversation without one gets a scratch folder first. */
  readonly needsFolder?: boolean;
  /** True if it only makes calls: its turn needs no room for an answer, and ends when the calls have ended. */
  readonly callsOnly?: boolean;
  /** Returns true if a model goes on with an answer that it is shown as the last message. */
  takesPrefix?(model: string): boolean;
  /** Called once, before anything is asked of it. */
  attach?(host: ProviderHost): void;
  /** Returns its current offers; asked each time that its models are listed. */
  offers?(): Promise<ProviderOffer>;
  /** Returns the way in which it would go on with a branch, where another one may have spoken. Starts nothing. */
  continuation?(branch: Pick<ProviderRequest, 'directory' | 'trail' | 'invalid'>): Promise<Continuation>;
  /** Returns the command that goes on with a branch in the person's own terminal. Starts nothing. */
  terminalCommand?(branch: Pick<ProviderRequest, 'directory' | 'trail'>): Promise<TerminalCommand>;
  stream(request: ProviderRequest, call: ProviderCall): AsyncIterable<ProviderEvent>;
  /** Lets go of connections and processes. */
  close?(): Promise<void>;
}
