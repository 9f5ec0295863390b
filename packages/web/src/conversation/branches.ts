import type { OutlineNode } from '@loom/sync';

/** The shape of a conversation: who stands below whom. */
export interface Shape {
  readonly nodes: ReadonlyMap<string, OutlineNode>;
  /** The nodes below a node or the root, the oldest first. */
  readonly children: ReadonlyMap<string, readonly string[]>;
}

export function shapeOf(outline: readonly OutlineNode[]): Shape {
  const nodes = new Map(outline.map((node) => [node.id, node]));
  const children = new Map<string, string[]>();
  for (const { id, parent } of outline) {
    const siblings = children.get(parent);
    if (siblings === undefined) children.set(parent, [id]);
    else siblings.push(id);
  }
  return { nodes, children };
}

/** The nodes from the first message to a node, in the order in which they are read. */
export function pathTo(shape: Shape, id: string): string[] {
  const path: string[] = [];
  for (let node = shape.nodes.get(id); node !== undefined; node = shape.nodes.get(node.parent)) path.push(node.id);
  return path.reverse();
}

/** The end of the branch below a node: where there are several ways, the one that was chosen last, else the newest. */
export function tipBelow(shape: Shape, id: string, chosen: ReadonlyMap<string, string>): string {
  let tip = id;
  for (;;) {
    const children = shape.children.get(tip) ?? [];
    const choice = chosen.get(tip);
    const next = choice !== undefined && children.includes(choice) ? choice : children.at(-1);
    if (next === undefined) return tip;
    tip = next;
  }
}

/** A node among those that stand in the same place. */
export interface Siblings {
  readonly all: readonly string[];
  /** From 0. */
  readonly at: number;
}

export function siblingsOf(shape: Shape, id: string): Siblings {
  const parent = shape.nodes.get(id)?.parent;
  const all = parent === undefined ? [id] : (shape.children.get(parent) ?? [id]);
  return { all, at: all.indexOf(id) };
}

/** How many nodes are at or below a node. */
export function countBelow(shape: Shape, id: string): number {
  let count = 0;
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count += 1;
    for (const child of shape.children.get(next) ?? []) open.push(child);
  }
  return count;
}

/** How many branches end at or below a node. */
export function leavesBelow(shape: Shape, id: string): number {
  let leaves = 0;
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const children = shape.children.get(next) ?? [];
    if (children.length === 0) leaves += 1;
    for (const child of children) open.push(child);
  }
  return leaves;
}

/** The ends of all branches, the newest first. */
export function leaves({ nodes, children }: Shape): string[] {
  const ends = [...nodes.values()].filter(({ id }) => (children.get(id)?.length ?? 0) === 0);
  return ends.sort((one, other) => other.time - one.time).map(({ id }) => id);
}
