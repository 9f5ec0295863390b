import type { NodeState } from '@loom/kernel';

/** A node without its content: enough to draw a tree. */
export type OutlineNode = Pick<
  NodeState,
  'id' | 'parent' | 'role' | 'time' | 'title' | 'tags' | 'turn' | 'tool' | 'continues'
>;

/** The same as it travels, with the seq of the change that last altered the node. */
export type SentOutlineNode = OutlineNode & Pick<NodeState, 'touched'>;

export function outlineOf({ id, parent, role, time, title, tags, turn, tool, continues }: OutlineNode): OutlineNode {
  return {
    id,
    parent,
    role,
    time,
    ...(title === undefined ? {} : { title }),
    ...(tags === undefined ? {} : { tags }),
    ...(turn === undefined ? {} : { turn }),
    ...(tool === undefined ? {} : { tool }),
    ...(continues === undefined ? {} : { continues }),
  };
}

/** Returns true if two outlines of a node say the same. */
export function isSameOutline(one: OutlineNode, other: OutlineNode): boolean {
  return (
    one.parent === other.parent &&
    one.title === other.title &&
    one.tags === other.tags &&
    one.tool === other.tool &&
    one.continues === other.continues &&
    one.role === other.role &&
    one.time === other.time &&
    one.turn === other.turn
  );
}
