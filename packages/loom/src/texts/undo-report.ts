import type { TextSplice } from '@loom/blocks';
import { isTreeOp } from '@loom/kernel/logs';
import type { RootState } from '@loom/kernel';
import type { RootOp } from '@loom/kernel/logs';
import { showControls } from '../chat/drawing/column.ts';
import { shortName } from '../forest-view/node-line.ts';

/** Words the ops of an undo or a redo, each briefly. `state` is the conversation just before. */
export function describeOps(state: RootState, ops: readonly RootOp[]): string[] {
  return [...new Set(ops.flatMap((op) => describeOp(state, op)))];
}

/** Spells the size of splices, as `+3 −5`. */
export function spellSize(inserted: number, deleted: number): string {
  const parts = [...(inserted > 0 ? [`+${inserted}`] : []), ...(deleted > 0 ? [`−${deleted}`] : [])];
  return parts.join(' ') || '±0';
}

function describeOp(state: RootState, op: RootOp): string[] {
  if (!isTreeOp(op)) return [];
  switch (op.type) {
    case 'node-added':
      return [`${shortName(op.node.id)} is there`];
    case 'node-removed':
      return [`${shortName(op.node)} is deleted`];
    case 'node-restored':
      return [`${shortName(op.node)} is back`];
    case 'node-moved':
      return [`${shortName(op.node)} is below ${op.parent === state.id ? 'the beginning' : shortName(op.parent)}`];
    case 'node-changed':
      return [`${shortName(op.node)} is changed`];
    case 'node-split':
      return [`${shortName(op.node)} is cut in two`];
    case 'node-joined':
      return [`${shortName(op.node)} is one message with what was cut off`];
    case 'text':
    case 'unit':
      return [`the text of ${nodeOf(state, op.block)} is changed (${sizeOf(op.splices)} characters)`];
    case 'text-appended':
    case 'output':
    case 'status':
    case 'block-removed':
      return [`${nodeOf(state, op.block)} is changed`];
    case 'block-added':
      return [`${shortName(op.node)} is changed`];
    case 'block-changed':
      return [`${nodeOf(state, op.block.block_id ?? '')} is changed`];
    case 'bookmark': {
      const { node, title } = op;
      return [
        `${shortName(node)} ${title === null ? 'has no bookmark' : `is bookmarked ${showControls(title)}`.trim()}`,
      ];
    }
    case 'root-changed':
      if (op.deleted !== undefined) return [`the conversation is ${op.deleted ? 'deleted' : 'back'}`];
      return ['title, tags or settings of the conversation are changed'];
  }
}

function nodeOf(state: RootState, block: string): string {
  return shortName(state.nodeOfBlock.get(block) ?? block);
}

function sizeOf(splices: readonly TextSplice[]): string {
  return spellSize(
    splices.reduce((sum, { insert }) => sum + insert.length, 0),
    splices.reduce((sum, { delete: count }) => sum + count, 0),
  );
}
