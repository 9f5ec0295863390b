import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '../../../state/node-state.ts';
import type { RootState } from '../../../state/root-state.ts';
import { liveChildren } from '../../../state/tree/tree.ts';

/** The messages of a path, each as the nodes that it was cut into: what people read as one. */
export function messagesOf(path: readonly NodeState[]): NodeState[][] {
  const messages: NodeState[][] = [];
  for (const node of path) {
    const last = messages.at(-1);
    const before = last?.at(-1);
    if (before !== undefined && goesOn(before, node)) last?.push(node);
    else messages.push([node]);
  }
  return messages;
}

/** The nodes that the message of a node was cut into, from its beginning to that node. */
export function partsUpTo(state: RootState, node: NodeState): NodeState[] {
  const parts = [node];
  let above = state.nodes.get(node.parent);
  for (let first = node; above !== undefined && goesOn(above, first); above = state.nodes.get(first.parent)) {
    parts.push(above);
    first = above;
  }
  return parts.reverse();
}

/** The node with which the message of a node ends: where a text goes on in one child alone, that one, and so on. */
export function lastPart(state: RootState, node: NodeState): NodeState {
  let last = node;
  for (;;) {
    const [child, ...others] = liveChildren(state, last.id);
    if (child === undefined || others.length > 0 || !goesOn(last, child)) return last;
    last = child;
  }
}

/** Returns the blocks of a message that was cut, with its texts whole again. A text joined from halves has no id. */
export function joinParts(parts: readonly NodeState[]): MessageBlock[] {
  const [head, ...others] = parts;
  const joined: MessageBlock[] = [...(head?.blocks ?? [])];
  for (const { blocks } of others) {
    const [first, ...rest] = blocks;
    // An error from before the message went on is over.
    while (joined.at(-1)?.type === 'error') joined.pop();
    const last = joined.at(-1);
    if (last?.type === 'text' && first?.type === 'text') {
      const { block_id: _left, status: _status, error: _error, ...text } = last;
      const { status, error } = first;
      const end = { ...(status === undefined ? {} : { status }), ...(error === undefined ? {} : { error }) };
      joined.splice(-1, 1, { ...text, ...end, text: last.text + first.text }, ...rest);
    } else joined.push(...blocks);
  }
  return joined;
}

function goesOn(before: NodeState, after: NodeState): boolean {
  return after.continues === true && before.id === after.parent && before.role === after.role;
}
