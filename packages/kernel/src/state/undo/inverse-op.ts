import { editableText } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '../node-state.ts';
import { isTreeOp } from '../../op.ts';
import type { NodeFields, RootOp } from '../../op.ts';
import type { RootState } from '../root-state.ts';
import { isHalf } from '../split-node.ts';
import { invertSplices } from '../../text/invert-splices.ts';
import { TextWindow } from '../../text/text-window.ts';

/** Stands for the client id that the edit of an undo will have. */
const noClient = 0;

/**
 * The ops that take an op back, seen from the state just before it; `undefined` if it does not change the tree. `added` are
 * the nodes that the same change has added so far: nodes below one of them go and come with it.
 */
export function invertOp(state: RootState, op: RootOp, added: ReadonlySet<string>): RootOp[] | undefined {
  if (op.type === 'undone') return [];
  if (!isTreeOp(op)) return undefined;
  switch (op.type) {
    case 'root-changed':
      return [invertRootChange(state, op)];
    case 'node-added':
      return added.has(op.node.parent) ? [] : [{ type: 'node-removed', node: op.node.id }];
    case 'node-changed': {
      const set = formerFields(state.nodes.get(op.node), op.set);
      return set && [{ type: 'node-changed', node: op.node, set }];
    }
    case 'node-removed':
      return [{ type: 'node-restored', node: op.node }];
    case 'node-restored':
      return [{ type: 'node-removed', node: op.node }];
    case 'node-moved': {
      const parent = state.nodes.get(op.node)?.parent;
      return parent === undefined ? undefined : [{ type: 'node-moved', node: op.node, parent }];
    }
    case 'node-split':
      return [{ type: 'node-joined', node: op.node, left: op.left }];
    case 'node-joined':
      return invertJoin(state.nodes.get(op.left), state.nodes.get(op.node));
    case 'block-added':
      return op.block.block_id === undefined ? undefined : [{ type: 'block-removed', block: op.block.block_id }];
    case 'block-removed': {
      const node = state.nodes.get(state.nodeOfBlock.get(op.block) ?? '');
      const index = node?.blocks.findIndex((block) => block.block_id === op.block) ?? -1;
      const block = node?.blocks[index];
      return node && block && [{ type: 'block-added', node: node.id, index, block }];
    }
    case 'text': {
      const text = textOf(state.block(op.block)) ?? '';
      const { block, unit } = op;
      return [
        {
          type: 'text',
          block,
          splices: invertSplices(sliceOf(state, op.block, text), op.splices),
          unit,
          client: noClient,
        },
      ];
    }
    case 'unit': {
      const text = textOf(state.block(op.block)) ?? '';
      const { update: _update, ...unit } = op;
      const to = op.to === 'done' ? 'undone' : 'done';
      return [{ ...unit, to, splices: invertSplices(sliceOf(state, op.block, text), op.splices), copies: [] }];
    }
    case 'block-changed': {
      const block = state.block(op.block.block_id ?? '');
      return block && [{ type: 'block-changed', block }];
    }
    case 'output':
      return undefined;
    case 'bookmark':
      return [{ type: 'bookmark', node: op.node, title: state.bookmarks.get(op.node) ?? null }];
    case 'text-appended': {
      const text = op.field === 'text' ? textOf(state.block(op.block)) : undefined;
      const { block, unit } = op;
      if (text === undefined) return undefined;
      const splices = [{ at: text.length, delete: op.text.length, insert: '' }];
      return [{ type: 'text', block, splices, unit, client: noClient }];
    }
    case 'status':
      // A block that was begun stays begun.
      return op.status === 'running' ? [] : undefined;
  }
}

function invertRootChange(state: RootState, op: Extract<RootOp, { type: 'root-changed' }>): RootOp {
  const inverse: Extract<RootOp, { type: 'root-changed' }> = { type: 'root-changed' };
  if (op.config !== undefined) inverse.config = state.config;
  if (op.title !== undefined) inverse.title = state.title ?? null;
  if (op.tags !== undefined) inverse.tags = state.tags.length === 0 ? null : [...state.tags];
  if (op.deleted !== undefined) inverse.deleted = state.deleted;
  if (op.archived !== undefined) inverse.archived = state.archived;
  if (op.project !== undefined) inverse.project = state.project ?? null;
  return inverse;
}

/** Returns the fields as they were, `null` where there was nothing. Fields that only a turn sets cannot be taken back. */
function formerFields(node: NodeState | undefined, set: NodeFields): NodeFields | undefined {
  if (node === undefined || set.tool !== undefined) return undefined;
  const former: NodeFields = {};
  if (set.title !== undefined) former.title = node.title ?? null;
  if (set.tags !== undefined) former.tags = node.tags === undefined ? null : [...node.tags];
  if (set.exclude !== undefined) former.exclude = node.exclude === undefined ? null : [...node.exclude];
  if (set.context_start !== undefined) former.context_start = node.context_start ?? null;
  if (set.custom_data !== undefined) former.custom_data = node.custom_data ?? null;
  if (set.continues !== undefined) former.continues = node.continues ?? null;
  if (set.is_error !== undefined) former.is_error = node.is_error ?? null;
  if (set.source !== undefined) former.source = node.source;
  if (set.notice !== undefined) former.notice = node.notice ?? null;
  return former;
}

function invertJoin(left: NodeState | undefined, right: NodeState | undefined): RootOp[] | undefined {
  if (left === undefined || right === undefined) return undefined;
  const last = left.blocks.at(-1);
  const half = isHalf(last, right.blocks[0]) ? textOf(last) : undefined;
  const ids = left.blocks.flatMap((block) => block.block_id ?? []);
  const cut = half === undefined ? { block: ids.length, offset: 0 } : { block: ids.length - 1, offset: half.length };
  return [{ type: 'node-split', node: right.id, left: left.id, ...cut, ids }];
}

function sliceOf(state: RootState, block: string, text: string): (from: number, to: number) => string {
  return (from, to) => state.texts.get(block)?.slice(text, from, to) ?? new TextWindow(text).slice(from, to);
}

function textOf(block: MessageBlock | undefined): string | undefined {
  return block && editableText(block);
}
