import type { MessageBlock } from '@loom/blocks';
import { copyBlock } from '../../../state/block-record.ts';
import { sourceWithoutUsage } from '../../../node-metadata.ts';
import type { NodeState } from '../../../state/node-state.ts';
import type { NodeFields, NodeSeed, RootOp } from '../../../op.ts';
import type { RootState } from '../../../state/root-state.ts';
import { isAtOrBelow } from '../../../state/tree/tree.ts';

/** Copies blocks under new ids; each names its original. */
export function copyBlocks(state: RootState, agent: string, blocks: readonly MessageBlock[]): MessageBlock[] {
  // A copy is created at the time it is added.
  return blocks.map(({ created_at: _created, ended_at: _ended, ...block }) =>
    copyBlock(block, state.newBlockId(agent)),
  );
}

/**
 * Returns the fields that a copy of a node shares with it, apart from its blocks and its place. The turn that wrote the node
 * did not write the copy.
 */
export function copySeed(node: NodeState): Omit<NodeSeed, 'id' | 'parent' | 'blocks'> {
  const { role, source, tool_call_id, is_error, continues, tool, note } = node;
  return {
    role,
    source: sourceWithoutUsage(source),
    ...(tool_call_id === undefined ? {} : { tool_call_id }),
    ...(is_error === undefined ? {} : { is_error }),
    ...(continues === undefined ? {} : { continues }),
    ...(tool === undefined ? {} : { tool }),
    ...(note === undefined ? {} : { note }),
  };
}

/**
 * Gives a node that stands in for others the marks that decide what models see there. `copies` maps blocks to the
 * copies that are on the new path instead.
 */
export function copyContextMarks(
  nodes: readonly NodeState[],
  id: string,
  copies: ReadonlyMap<string, string>,
): RootOp[] {
  const set: NodeFields = {};
  const start = nodes.findLast(({ context_start }) => context_start !== undefined)?.context_start;
  if (start !== undefined) set.context_start = start;
  const hidden = nodes.flatMap(({ exclude }) => (exclude === undefined ? [] : [exclude]));
  if (hidden.length > 0) set.exclude = [...new Set(hidden.flat().map((block) => copies.get(block) ?? block))];
  return Object.keys(set).length === 0 ? [] : [{ type: 'node-changed', node: id, set }];
}

/** Maps the ids of originals to the ids of their copies. */
export function copiesByOriginal(blocks: readonly MessageBlock[]): Map<string, string> {
  const copies = new Map<string, string>();
  for (const { block_id: id, from } of blocks) if (id !== undefined && from !== undefined) copies.set(from.block, id);
  return copies;
}

/**
 * Blocks are about to be replaced by copies on the paths through a node: a node below it that hides one of them from models must
 * hide its copy too.
 */
export function extendExclusions(state: RootState, copies: ReadonlyMap<string, string>, top: string): RootOp[] {
  const lists = new Map<string, string[]>();
  for (const [original, copy] of copies) {
    for (const id of state.index.excludersOf(original)) {
      if (id === top || !isAtOrBelow(state, id, top)) continue;
      const list = lists.get(id) ?? [...(state.nodes.get(id)?.exclude ?? [])];
      list.push(copy);
      lists.set(id, list);
    }
  }
  return [...lists].map(([node, exclude]) => ({ type: 'node-changed', node, set: { exclude } }));
}
