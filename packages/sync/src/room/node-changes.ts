import type { NodeChanges, NodeState } from '@loom/kernel';

/** Returns a node after a change. Unchanged parts are the same objects as before. */
export function applyNodeChanges(node: NodeState, { set, blocks }: NodeChanges, touched: number): NodeState {
  const changed = { ...setNodeFields(node, set), touched };
  if (blocks === undefined) return changed;
  const known = new Map(node.blocks.map((block) => [block.block_id, block]));
  return {
    ...changed,
    blocks: blocks.flatMap((block) => (typeof block === 'string' ? (known.get(block) ?? []) : block)),
  };
}

/** Returns a node, or the known part of one, with other values in some fields. */
export function setNodeFields<Node extends object>(node: Node, set: NodeChanges['set']): Node {
  const changed = { ...node };
  for (const [name, value] of Object.entries(set)) {
    if (value === null) Reflect.deleteProperty(changed, name);
    else Reflect.set(changed, name, value);
  }
  return changed;
}
