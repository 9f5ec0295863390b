import type { OutlineNode } from '@loom/sync';

/** The shape of a conversation: who stands below whom. */
export interface Shape {
  readonly nodes: ReadonlyMap<string, OutlineNode>;
  /** The nodes below a node or the root, the oldest first. */
  readonly children: ReadonlyMap<string, readonly string[]>;
  /** The number of nodes, or the root, from which several ways go on. */
  readonly forks: number;
}

export function shapeOf(outline: readonly OutlineNode[]): Shape {
  return new GrowingShape().shape(outline);
}

/**
 * The shape of a conversation that grows. A message that is added, or whose own facts change, costs no more in a long conversation than in
 * a short one: a shape takes over the maps of the one before it, which must no longer be used.
 */
export class GrowingShape {
  #outline: readonly OutlineNode[] = [];
  #nodes = new Map<string, OutlineNode>();
  #children = new Map<string, readonly string[]>();
  #forks = 0;

  shape(outline: readonly OutlineNode[]): Shape {
    if (!this.#isGrown(outline)) {
      this.#outline = [];
      this.#nodes = new Map();
      this.#children = new Map();
      this.#forks = 0;
    }
    for (const [index, node] of outline.entries()) {
      if (node === this.#outline[index]) continue;
      this.#nodes.set(node.id, node);
      if (index >= this.#outline.length) this.#hang(node);
    }
    this.#outline = outline;
    return { nodes: this.#nodes, children: this.#children, forks: this.#forks };
  }

  /** Returns true if every node that was there is there in the same place. */
  #isGrown(outline: readonly OutlineNode[]): boolean {
    return (
      outline.length >= this.#outline.length &&
      this.#outline.every((known, index) => {
        const now = outline[index];
        return now === known || (now?.id === known.id && now.parent === known.parent);
      })
    );
  }

  #hang({ id, parent }: OutlineNode): void {
    const siblings = this.#children.get(parent) ?? [];
    if (siblings.length === 1) this.#forks += 1;
    this.#children.set(parent, [...siblings, id]);
  }
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
  /** The index among them, from 0. */
  readonly at: number;
}

export function siblingsOf(shape: Shape, id: string): Siblings {
  const parent = shape.nodes.get(id)?.parent;
  const all = parent === undefined ? [id] : (shape.children.get(parent) ?? [id]);
  return { all, at: all.indexOf(id) };
}

/** Counts the nodes at or below a node. */
export function countBelow(shape: Shape, id: string): number {
  let count = 0;
  const open = [id];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    count += 1;
    for (const child of shape.children.get(next) ?? []) open.push(child);
  }
  return count;
}

/** Counts the branches that end at or below a node. */
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
