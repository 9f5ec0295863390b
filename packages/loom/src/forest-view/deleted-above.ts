import type { RootState } from '@loom/kernel';

/** Returns the deleted item that hides a node: its conversation, the node itself or one above it; `undefined` if it can be seen. */
export function deletedAbove(state: RootState, id: string): string | undefined {
  if (state.deleted) return state.id;
  let node = state.nodes.get(id);
  while (node !== undefined && node.deleted !== true) node = state.nodes.get(node.parent);
  return node?.id;
}
