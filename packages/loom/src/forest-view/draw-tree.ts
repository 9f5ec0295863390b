import { messagesOf, subtree } from '@loom/kernel';
import type { NodeState, RootState } from '@loom/kernel';
import type { Style } from '../terminal/style.ts';
import { messageLine } from './node-line.ts';

export interface TreeOptions {
  style: Style;
  /** The longest line, in columns. */
  width: number;
  /** The node to draw from; else the whole root. */
  top?: string;
  /** The person's place. */
  here?: string | undefined;
}

/**
 * A tree as lines. A conversation goes straight down; only where it branches are its branches set in, so that the drawing
 * is as wide as there are branches, not as the conversation is long.
 */
export function drawTree(state: RootState, { style, width, top = state.id, here }: TreeOptions): string[] {
  const nodes = subtree(state, top);
  const children = Map.groupBy(nodes, ({ parent }) => parent);
  const lines: string[] = [];
  const tops = top === state.id ? (children.get(state.id) ?? []) : nodes.slice(0, 1);
  const pending = branchesOf(tops, '');
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, first, rest } = next;
    const parts = partsBelow(node, children);
    const mark = parts.some(({ id }) => id === here) ? `  ${style.good('← you are here')}` : '';
    lines.push(`${style.faint(first)}${messageLine(state, parts, style, width - first.length)}${mark}`);
    pending.push(...branchesOf(children.get(parts.at(-1)?.id ?? '') ?? [], rest));
  }
  return lines;
}

/** A node, and those in which its text alone goes on: one message, and one line. */
function partsBelow(node: NodeState, children: ReadonlyMap<string, readonly NodeState[]>): NodeState[] {
  const parts = [node];
  for (let last = node; ;) {
    const [child, ...others] = children.get(last.id) ?? [];
    if (child === undefined || others.length > 0 || messagesOf([last, child]).length > 1) return parts;
    parts.push(child);
    last = child;
  }
}

interface Branch {
  node: NodeState;
  /** The prefix of the node's own line, and of those below it. */
  first: string;
  rest: string;
}

/** The branches below a node, the first one last: they are taken from the end. */
function branchesOf(nodes: readonly NodeState[], indent: string): Branch[] {
  if (nodes.length === 1) return nodes.map((node) => ({ node, first: indent, rest: indent }));
  return nodes
    .map((node, index) => {
      const isLast = index === nodes.length - 1;
      return { node, first: `${indent}${isLast ? '└─ ' : '├─ '}`, rest: `${indent}${isLast ? '   ' : '│  '}` };
    })
    .reverse();
}
