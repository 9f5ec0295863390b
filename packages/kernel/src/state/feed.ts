import type { BlockStatus, MessageBlock, StreamedField, TextSplice, UserBlock } from '@loom/blocks';
import type { Answer, DecisionScope, PermissionRule, RootConfig } from '../op.ts';
import type { NodeChanges } from './node-changes.ts';
import type { NodeState } from './node-state.ts';

/**
 * An event for subscribers: a vocabulary apart from the stored ops, so that storage can change without any client noticing.
 * A client that has never heard of a CRDT can follow: text grows or is spliced by UTF-16 offsets, everything else is
 * replaced. `update` is for clients that edit along: the update for their document of the block, in base64.
 */
export type FeedEvent =
  | { type: 'text-appended'; block: string; field: StreamedField; version: number; text: string; update?: string }
  | { type: 'text-changed'; block: string; version: number; changes: TextSplice[]; update?: string }
  /** Long output has grown to so many bytes and ends like this now; the rest is read by ranges. */
  | {
      type: 'output';
      block: string;
      field: 'stdout' | 'stderr';
      version: number;
      bytes: number;
      tail: string;
    }
  | {
      type: 'status-changed';
      block: string;
      version: number;
      status: BlockStatus;
      error?: FailureNote;
      ended_at?: string;
    }
  | { type: 'block-added'; node: string; index: number; block: MessageBlock }
  | { type: 'block-changed'; node: string; block: MessageBlock }
  | { type: 'block-removed'; node: string; block: string }
  | { type: 'node-added'; node: NodeState }
  /** The node as it is now, and its changes. */
  | { type: 'node-changed'; node: NodeState; changes: NodeChanges }
  /** The node is hidden, and everything below it. */
  | { type: 'node-removed'; node: string }
  | { type: 'node-restored'; node: string }
  | { type: 'node-moved'; node: string; parent: string }
  | {
      type: 'root-changed';
      config?: RootConfig;
      title?: string | null;
      tags?: readonly string[] | null;
      deleted?: boolean;
      archived?: boolean;
      project?: string | null;
    }
  | { type: 'bookmark'; node: string; title: string | null }
  | TurnEvent;

/** Events of turns and of the messages and calls that wait for them. */
export type TurnEvent =
  | {
      type: 'turn-started';
      turn: string;
      node: string;
      provider: string;
      model: string;
      answer?: string;
      batch?: string;
      started_by?: 'agent';
    }
  /** The provider tries again after a while. */
  | { type: 'turn-retrying'; turn: string; attempt: number; delay_ms: number; reason: string }
  /** Another process goes on with the turn. */
  | { type: 'turn-taken'; turn: string; holder: string }
  | { type: 'turn-ended'; turn: string; reason: TurnEnd; error?: FailureNote }
  | { type: 'tool-started'; turn: string; node: string }
  /** A person has decided about a call; `text` says why it was denied, or is the answer to its question. */
  | {
      type: 'approval';
      turn: string;
      node: string;
      decision: 'approved' | 'denied' | 'answered';
      by: string;
      at: string;
      text?: string;
      scope?: DecisionScope;
      rules?: readonly PermissionRule[];
      answers?: readonly Answer[];
      arguments_changed?: string;
    }
  | { type: 'message-waiting'; id: string; turn: string; kind: 'steer' | 'queue'; blocks: readonly UserBlock[] }
  | { type: 'message-taken'; id: string }
  /** Files that a turn changed are as they were before it, or again as it left them. */
  | { type: 'files-undone'; turn: string; to: 'undone' | 'done'; files: readonly string[] };

/** The reason that a turn is over. */
export type TurnEnd = 'done' | 'aborted' | 'error' | 'interrupted' | 'max-rounds' | 'no-room' | 'limit';

interface FailureNote {
  code: string;
  message: string;
}
