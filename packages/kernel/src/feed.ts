import type { BlockStatus, MessageBlock, StreamedField, TextSplice } from '@loom/blocks';
import type { TreeOp, WorkOp } from './op.ts';
import type { NodeState } from './state/node-state.ts';

/**
 * What a subscriber gets. A client that has never heard of a CRDT can follow: text grows or is spliced by UTF-16
 * offsets, everything else is replaced whole. Ops that say all there is to say are passed on as they are. `update` is for
 * clients that edit along: the update for their document of the block, in base64.
 */
export type FeedEvent =
  | { type: 'text-appended'; block: string; field: StreamedField; version: number; text: string; update?: string }
  | { type: 'text-changed'; block: string; version: number; changes: TextSplice[]; update?: string }
  | {
      type: 'status-changed';
      block: string;
      version: number;
      status: BlockStatus;
      error?: { code: string; message: string };
      ended_at?: string;
    }
  | { type: 'block-added'; node: string; index: number; block: MessageBlock }
  | { type: 'block-changed'; node: string; block: MessageBlock }
  | { type: 'block-removed'; node: string; block: string }
  | { type: 'node-added'; node: NodeState }
  | { type: 'node-changed'; node: NodeState }
  | Extract<TreeOp, { type: 'root-changed' | 'node-removed' | 'node-restored' | 'node-moved' | 'bookmark' }>
  | WorkOp;

/** An agent's place in a text, in UTF-16 offsets of a version of it. Sent to the current subscribers, and never kept. */
export interface TextCursor {
  agent: string;
  block: string;
  version: number;
  anchor: number;
  head: number;
}

/** Where a subscriber is. An epoch that the log does not have any more means starting over from a snapshot. */
export interface Cursor {
  epoch: string;
  seq: number;
}
