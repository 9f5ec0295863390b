import type { MessageBlock } from '@loom/blocks';
import type { Cursor, NodeState, Refusal, RootConfig, TextCursor } from '@loom/kernel';
import type { SentOutlineNode } from './room/outline.ts';
import type { WireEvent } from './room/wire-events.ts';

/** The protocol that both ends speak. An end that does not know the other's number says so instead of guessing. */
export const protocol = 1;

/**
 * The nodes of a root that a client wants: all that can be seen, the path down to a node with everything below it, or a node
 * with everything below it.
 */
export type Scope = 'whole' | { path: string } | { subtree: string };

/** A frame from a client. An id names a request: a client that repeats it gets the same answer and nothing is done twice. */
export type ClientFrame =
  | JoinFrame
  /** Asks for nodes with their content. */
  | { type: 'fetch'; id: string; nodes: string[] }
  /** Wants to edit a block along with others. */
  | { type: 'open'; id: string; block: string }
  | UpdateFrame
  | { type: 'cursor'; block: string; anchor: number; head: number };

/** Begins, or begins again. */
export interface JoinFrame {
  type: 'join';
  id: string;
  protocol: number;
  root: string;
  scope: Scope;
  /** The place up to which the client knows the log: it asks for what it has missed. */
  cursor?: Cursor;
  /** The end of the branch that its reader looks at. Default: the one where something happened last. */
  leaf?: string;
}

/** Typed text, in order. A client has one such frame under way for each block, so that none can overtake another. */
export interface UpdateFrame {
  type: 'update';
  block: string;
  client: number;
  /** The version of the block whose text the client's document began with. */
  seed: number;
  edits: SentWork[];
}

/** One update of a text document, in base64. Updates of one burst are undone together. */
export interface SentEdit {
  id: string;
  burst: number;
  update: string;
}

/** Takes back the agent's last unit in the text, or brings back the one that was taken back last. */
export interface SentFlip {
  id: string;
  flip: 'undo' | 'redo';
}

export type SentWork = SentEdit | SentFlip;

/** One change of the log, whole. */
export interface ChangeFrame {
  type: 'change';
  epoch: string;
  seq: number;
  time: number;
  agent: string;
  turn?: string;
  events: WireEvent[];
}

/** A frame from a server. */
export type ServerFrame =
  | WelcomeFrame
  | ChangeFrame
  | OutlineFrame
  | NodesFrame
  /** Earlier frames no longer hold, or were too much to wait for a slow reader: join again. */
  | { type: 'resync' }
  | OpenedFrame
  | { type: 'ack'; id: string; version: number }
  | { type: 'refused'; id: string; refusal: Refusal }
  | { type: 'cursor'; cursor: TextCursor }
  /** An agent has come, by its first connection. */
  | { type: 'here'; agent: string }
  /** An agent has left, and its cursor with it. */
  | { type: 'gone'; agent: string };

/**
 * The answer to a join. With a snapshot it is everything up to `cursor`; without one the changes that were missed follow, and
 * with the one at `cursor` the client knows what there is by now.
 */
export interface WelcomeFrame {
  type: 'welcome';
  id: string;
  /** The agent as which the client was admitted. */
  agent: string;
  cursor: Cursor;
  /** The agents that are connected, the client's own included. */
  here: string[];
  /** The cursors of the other agents that are connected. */
  cursors: TextCursor[];
  snapshot?: Snapshot;
}

/** The first page of what there is: what the reader of a branch sees first, or everything if that is little. */
export interface Snapshot {
  root: RootView;
  /** The end of the branch. */
  leaf?: string;
  /** Parents before children. */
  nodes: NodeState[];
  /** The number of nodes beside these. Their outline follows, in separate frames. */
  others: number;
  /** Texts that the conversation holds beside its messages, in every scope. */
  drafts?: NodeState[];
}

/** Nodes without their content, as they are now. A client asks for those that it wants to show. */
export interface OutlineFrame {
  type: 'outline';
  nodes: SentOutlineNode[];
  /** True if these are the last ones: a node that is not known now does not exist. */
  isLast: boolean;
}

/** Nodes that were asked for, as they are now: as many as fit into a page, in the order of the request. */
export interface NodesFrame {
  type: 'nodes';
  id: string;
  nodes: NodeState[];
  /** The nodes that can no longer be seen. */
  gone: string[];
}

/** The facts about a root that clients know beside its nodes. */
export interface RootView {
  config: RootConfig;
  title?: string;
  tags: readonly string[];
  deleted: boolean;
  archived?: true;
  /** The project that it belongs to. */
  project?: string;
  /** Titles by node. */
  bookmarks: Record<string, string>;
  /** The turns that go on, in the order of their start. */
  turns: TurnView[];
  /** The ends of the last turns, the last one last; at most 20. */
  endings: EndedTurnView[];
  /** Messages that wait for their place in a turn or for its end. */
  waiting: WaitingView[];
}

export interface TurnView {
  turn: string;
  /** The node that it answers. */
  node: string;
  provider: string;
  model: string;
  /** The node that its answer begins with. */
  answer?: string;
  /** The batch of turns that it was started with, side by side. */
  batch?: string;
  /** Its agent began it without being asked. */
  started_by?: 'agent';
  /** Its provider waits before it tries again. */
  retrying?: { attempt: number; delay_ms: number; reason: string };
}

export interface EndedTurnView extends Omit<TurnView, 'retrying'> {
  /** `done`, `aborted`, `error`, `interrupted`, `max-rounds`, `no-room` or `limit`. */
  reason: string;
  error?: { code: string; message: string };
  /** The time, in milliseconds since 1970. */
  time?: number;
}

/** The number of finished turns that are known. */
export const mostEndings = 20;

export interface WaitingView {
  id: string;
  turn: string;
  kind: 'steer' | 'queue';
  blocks: readonly MessageBlock[];
}

/** A text to edit along, and the id to do it under, which no client has used yet. */
export interface OpenedFrame {
  type: 'opened';
  id: string;
  block: string;
  client: number;
  version: number;
  /** The version since which the text has only been edited: documents that began earlier are of another text. */
  since: number;
  text: string;
  /** The whole document in base64, if there is one. */
  update?: string;
}

/** A frame as it travels. */
export function encodeFrame(frame: ClientFrame | ServerFrame): string {
  return JSON.stringify(frame);
}
