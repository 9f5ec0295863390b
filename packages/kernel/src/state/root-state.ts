import type { MessageBlock } from '@loom/blocks';
import type { Change } from '../change.ts';
import type { RootConfig, RootOp } from '../op.ts';
import type { FeedEvent } from './feed.ts';
import { applyOp } from './apply-op.ts';
import { recentLeaves, subtree } from './tree/queries.ts';
import { isVisible, liveDrafts, pathTo } from './tree/tree.ts';
import { TreeIndex } from './tree/tree-index.ts';
import { UndoHistory } from './undo/undo-history.ts';
import { readKept } from '../request.ts';
import { RequestIndex } from './request-index.ts';
import { SharedValues } from './shared-values.ts';
import type { ToolDescription } from '../provider.ts';
import type { TextHistory } from '../text/text-history.ts';
import type { Decided, NodeState } from './node-state.ts';

/** A turn as the log knows it. */
export interface TurnState {
  readonly id: string;
  readonly node: string;
  readonly provider: string;
  readonly model: string;
  readonly settings: Record<string, unknown>;
  readonly tools: readonly string[];
  /** The descriptions that its model gets of them, as long as it runs; not known of turns that an older version started. */
  readonly told?: readonly ToolDescription[];
  readonly maxRounds: number;
  /** The node that its answer begins with; not known of turns that an older version started. */
  readonly answer?: string;
  readonly batch?: string;
  readonly holder: string;
  /** Its provider waits before it tries again. */
  readonly retrying?: { readonly attempt: number; readonly delay_ms: number; readonly reason: string };
  /** The agent that asked for it, or its own where that began it; not known of turns in snapshots of older versions. */
  readonly by?: string;
  /** Its provider began it without being asked. */
  readonly startedBy?: 'agent';
  /** Its caller runs the calls that it makes. */
  readonly leavesCalls?: true;
  /** A person lets it spend beyond a limit. */
  readonly beyondLimits?: true;
  /** The credential that it was asked for with. */
  readonly credential?: string;
  /** The seq of its start: what its context is derived from. */
  readonly started: number;
  readonly ended?: TurnEnding;
}

/** The end of a turn. Optional fields are not known of turns that an older version ended. */
export interface TurnEnding {
  readonly seq: number;
  readonly reason: string;
  /** The time, in milliseconds since 1970. */
  readonly time?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/** A person's decision about a call. The person and the time are not known of those in snapshots of older versions. */
export interface ApprovalState extends Omit<Decided, 'by' | 'at' | 'questions'> {
  readonly arguments: string;
  readonly by?: string;
  readonly at?: string;
}

/** A message that waits for its place in a turn, or for the turn's end. */
export type WaitingMessage = Extract<RootOp, { type: 'message-waiting' }>;

/**
 * One conversation, reduced from its log. The maps are altered in place by `apply`, the nodes and blocks in them never:
 * a node that a caller holds stays as it was. Everything here can be thrown away and reduced again.
 */
export class RootState {
  readonly id: string;
  readonly keepsEdits: boolean;
  seq = 0;
  created = 0;
  /** The time of the last change that was more than a mark. */
  updated = 0;
  config: RootConfig = {};
  title: string | undefined = undefined;
  tags: readonly string[] = [];
  deleted = false;
  archived = false;
  project: string | undefined = undefined;
  readonly nodes = new Map<string, NodeState>();
  /** Children by parent, tombstones included, in the order of their ids. */
  readonly children = new Map<string, string[]>();
  /** The node of every block. */
  readonly nodeOfBlock = new Map<string, string>();
  readonly bookmarks = new Map<string, string>();
  readonly turns = new Map<string, TurnState>();
  readonly liveTurns = new Set<string>();
  /** The descriptions of tools that the last turn got. */
  told: readonly ToolDescription[] | undefined = undefined;
  readonly approvals = new Map<string, ApprovalState>();
  /** Nodes of calls that may have begun to run. */
  readonly startedTools = new Set<string>();
  readonly waiting = new Map<string, WaitingMessage>();
  /** Files that were restored to their state before a turn changed them, by turn. */
  readonly undoneFiles = new Map<string, Set<string>>();
  /**
   * Blocks that were taken out of their node, and thoughts into which another agent wrote, as they were, in case an undo
   * brings them back.
   */
  readonly retired = new Map<string, MessageBlock>();
  /** The histories of the texts of blocks that were appended to or edited. */
  readonly texts = new Map<string, TextHistory>();
  /** Parts of snapshots that nothing refers to. */
  readonly obsoleteParts: string[] = [];
  /** The parts of the newest snapshot that hold the records needed to undo changes. */
  undoParts: readonly string[] = [];
  /** The agents of clients that edit texts themselves. */
  readonly clients = new Map<number, string>();
  readonly shared = new SharedValues();
  readonly requests = new RequestIndex();
  readonly index: TreeIndex;
  readonly history = new UndoHistory((node) => this.nodes.get(node)?.touched ?? 0);
  #nextNode = 1;
  /** The number of an agent's first block. */
  #firstBlock = 1;
  readonly #nextBlock = new Map<string, number>();

  /** `keepsEdits`: what edited a text stays at hand until a snapshot has been made of it. */
  constructor(id: string, keepsEdits = false) {
    this.id = id;
    this.keepsEdits = keepsEdits;
    this.index = new TreeIndex(id);
  }

  /** Applies a change and returns the events for subscribers. */
  apply(change: Change<RootOp>): FeedEvent[] {
    if (change.seq !== this.seq + 1) throw new RangeError(`change ${change.seq} does not follow ${this.seq}`);
    this.seq = change.seq;
    if (change.seq === 1) this.created = change.time;
    if (change.seq === 1 || !change.ops.every(isMark)) this.updated = change.time;
    this.#noteRequest(change);
    const touchedBlocks = new Set<string>();
    const recording = this.history.begin(change);
    const events = change.ops.flatMap((op) => {
      recording.observe(this, op);
      return applyOp(this, op, change, touchedBlocks);
    });
    this.history.finish(recording);
    return events;
  }

  requestOf(agent: string, request: string): number | undefined {
    return this.requests.find(agent, request);
  }

  #noteRequest({ agent, request, turn, seq, ops }: Change<RootOp>): void {
    // A turn's writer that repeats a write says where to look for it. Its requests, which are most, need not be known.
    if (turn !== undefined && ops[0]?.type !== 'turn-started') return;
    this.requests.note(agent, readKept(request).id, seq);
  }

  /** Returns true if a node can be seen: neither it nor anything above it is a tombstone. */
  isVisible(id: string): boolean {
    return isVisible(this, id);
  }

  /** The nodes from the first level down to a node, itself included. */
  pathTo(id: string): NodeState[] {
    return pathTo(this, id);
  }

  /** A node with everything below it that can be seen, parents before children; for the root's own id, all of them. */
  subtree(top: string): NodeState[] {
    return subtree(this, top);
  }

  /** The ends of the branches where something happened last, the most recent first. */
  recentLeaves(limit: number): NodeState[] {
    return recentLeaves(this, limit);
  }

  /** The drafts that were not removed. */
  drafts(): NodeState[] {
    return liveDrafts(this);
  }

  node(id: string): NodeState | undefined {
    return this.nodes.get(id);
  }

  block(id: string): MessageBlock | undefined {
    const node = this.nodes.get(this.nodeOfBlock.get(id) ?? '');
    return node?.blocks.find((block) => block.block_id === id);
  }

  /** An id that no node of this root ever had. */
  newNodeId(): string {
    return `${this.id}/node-${this.#nextNode++}`;
  }

  /** An id that no block of this root ever had. */
  newBlockId(agent: string): string {
    const next = this.#nextBlock.get(agent) ?? this.#firstBlock;
    this.#nextBlock.set(agent, next + 1);
    return `${this.id}/@${agent}/${next}`;
  }

  /** Raises the counters above ids that are in use. */
  reserveNodeId(id: string): void {
    const number = Number(/\/node-(\d+)$/.exec(id)?.[1] ?? 0);
    this.#nextNode = Math.max(this.#nextNode, number + 1);
  }

  reserveBlockId(id: string): void {
    const [, agent, number] = /\/@([^/]+)\/(\d+)$/.exec(id) ?? [];
    if (agent === undefined) return;
    this.#nextBlock.set(agent, Math.max(this.#nextBlock.get(agent) ?? this.#firstBlock, Number(number) + 1));
  }

  /** From now on all numbers are above these; `others` is for agents that are not named. */
  raiseCounters({ node, blocks, others }: { node: number; blocks: Record<string, number>; others: number }): void {
    this.#nextNode = Math.max(this.#nextNode, node + 1);
    this.#firstBlock = Math.max(this.#firstBlock, others + 1);
    for (const agent of new Set([...this.#nextBlock.keys(), ...Object.keys(blocks)])) {
      const next = Math.max(this.#nextBlock.get(agent) ?? 1, this.#firstBlock, (blocks[agent] ?? 0) + 1);
      this.#nextBlock.set(agent, next);
    }
  }

  /** The numbers that come next, for nodes and for the blocks of each agent. */
  get counters(): Counters {
    return { node: this.#nextNode, blocks: Object.fromEntries(this.#nextBlock), others: this.#firstBlock };
  }

  set counters({ node, blocks, others }: Counters) {
    this.#nextNode = node;
    this.#firstBlock = others;
    for (const [agent, next] of Object.entries(blocks)) this.#nextBlock.set(agent, next);
  }
}

export interface Counters {
  node: number;
  blocks: Record<string, number>;
  /** For agents that have written nothing yet. */
  others: number;
}

/** Returns true for what people and programs note about a conversation: marked, archived or brought back it keeps its place in lists. */
function isMark(op: RootOp): boolean {
  return op.type === 'bookmark' || op.type === 'undone' || (op.type === 'root-changed' && op.config === undefined);
}
