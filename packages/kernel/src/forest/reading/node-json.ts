import type { MessageBlock } from '@loom/blocks';
import type { SourceInfo } from '../../node-metadata.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { Notice, Origin } from '../../op.ts';
import { formatOfNode } from '../../op-format.ts';
import type { RootState } from '../../state/root-state.ts';
import { liveChildren } from '../../state/tree/tree.ts';

/** The newest version of the node format. Files without one are legacy; a file takes this one only for what the second does not know. */
export const nodeFormat = 3;

/** A node as it is written to disk and sent to clients; keys in this order. */
export interface NodeJson {
  id: string;
  root_id: string;
  /** The root's id for a first message. */
  parent_id: string;
  child_ids: string[];
  message: { role: NodeState['role']; content: MessageBlock[]; tool_call_id?: string; is_error?: boolean };
  metadata: {
    timestamp: string;
    original_root_id: string;
    source_info: SourceInfo;
    tags?: readonly string[];
    custom_data?: Record<string, unknown>;
    split_source?: string;
    title?: string;
    deleted?: boolean;
    exclude?: readonly string[];
    context_start?: boolean;
    continues?: boolean;
    turn?: string;
    started_at?: string;
    ended_at?: string;
    origin?: Origin;
    note?: Record<string, unknown>;
    notice?: Notice;
    draft?: true;
    format: number;
    /** The change that it was written from. */
    seq: number;
  };
}

/** A node in the interchange format, or `undefined` if there is none. Deleted nodes have one too, and say so. */
export function nodeJson(state: RootState, id: string): NodeJson | undefined {
  const node = state.nodes.get(id);
  if (node === undefined) return undefined;
  const timestamp = new Date(node.time).toISOString();
  const { role, tool_call_id, is_error } = node;
  return {
    id,
    root_id: state.id,
    parent_id: node.parent,
    child_ids: liveChildren(state, id).map((child) => child.id),
    message: {
      role,
      content: node.blocks.map((block) => blockJson(block, timestamp)),
      ...(tool_call_id === undefined ? {} : { tool_call_id }),
      ...(is_error === undefined ? {} : { is_error }),
    },
    metadata: {
      timestamp,
      original_root_id: originalRoot(state, node),
      source_info: node.source,
      ...(node.tags === undefined ? {} : { tags: node.tags }),
      ...(node.custom_data === undefined ? {} : { custom_data: node.custom_data }),
      ...(node.split_source === undefined ? {} : { split_source: node.split_source }),
      ...(node.title === undefined ? {} : { title: node.title }),
      ...(node.deleted === undefined ? {} : { deleted: node.deleted }),
      ...(node.exclude === undefined ? {} : { exclude: node.exclude }),
      ...(node.context_start === undefined ? {} : { context_start: node.context_start }),
      ...(node.continues === undefined ? {} : { continues: node.continues }),
      ...(node.turn === undefined ? {} : { turn: node.turn }),
      ...(node.started_at === undefined ? {} : { started_at: node.started_at }),
      ...(node.ended_at === undefined ? {} : { ended_at: node.ended_at }),
      ...(node.origin === undefined ? {} : { origin: node.origin }),
      ...(node.note === undefined ? {} : { note: node.note }),
      ...(node.notice === undefined ? {} : { notice: node.notice }),
      ...(node.draft === undefined ? {} : { draft: node.draft }),
      format: formatOfNode(node),
      seq: node.touched,
    },
  };
}

/** Writes the content first, as older readers know it, then the record without its defaults. */
function blockJson(block: MessageBlock, timestamp: string): MessageBlock {
  const { block_id, status, version, created_at, ...rest } = block;
  return {
    ...rest,
    ...(block_id === undefined ? {} : { block_id }),
    ...(status === undefined ? {} : { status }),
    ...(version === undefined || version === 1 ? {} : { version }),
    ...(created_at === undefined || created_at === timestamp ? {} : { created_at }),
  };
}

/** Returns the root in which a node was first written: blocks that were copied from another root name it. */
function originalRoot(state: RootState, node: NodeState): string {
  const origin = node.blocks[0]?.from?.block;
  const end = origin?.lastIndexOf('/@') ?? -1;
  return origin === undefined || end === -1 ? state.id : origin.slice(0, end);
}
