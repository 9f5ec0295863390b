import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from './node-state.ts';

/** The fields of a node that a change can give another value, beside its blocks. */
const fields = [
  'parent',
  'source',
  'tool_call_id',
  'is_error',
  'continues',
  'turn',
  'tool',
  'ask',
  'decided',
  'started_at',
  'ended_at',
  'origin',
  'note',
  'notice',
  'title',
  'tags',
  'exclude',
  'context_start',
  'custom_data',
  'split_source',
] as const satisfies readonly (keyof NodeState)[];

type Field = (typeof fields)[number];

/** The difference between two states of a node. */
export interface NodeChanges {
  /** Fields that have another value; `null` for those that it has no more. */
  readonly set: { readonly [Name in Field]?: NodeState[Name] | null };
  /** Its blocks, if they are others: those that stayed as they were by their ids. */
  readonly blocks?: readonly (string | MessageBlock)[];
}

/**
 * Returns the changes that make one state of a node into the next. Nothing in a state is ever altered, so equal parts are
 * one object.
 */
export function changesBetween(before: NodeState, after: NodeState): NodeChanges {
  const set: NodeChanges['set'] = {};
  for (const name of fields) {
    if (before[name] !== after[name]) Reflect.set(set, name, after[name] ?? null);
  }
  if (before.blocks === after.blocks) return { set };
  const stayed = new Set(before.blocks);
  return { set, blocks: after.blocks.map((block) => (stayed.has(block) ? (block.block_id ?? block) : block)) };
}
