import { isBlank, messagesEqual } from '@loom/blocks';
import type { Message, MessageBlock } from '@loom/blocks';
import { crc32 } from '../../crc32.ts';
import { messageOf } from '../node-state.ts';
import type { NodeState } from '../node-state.ts';
import { placeOfId } from './id-order.ts';

/** Fewer children than this are compared one by one. */
const indexedFrom = 17;

/**
 * Finds the child of a node that says the same as a message. Parents with many children get an index by fingerprint when
 * they are first asked for, which then follows every change of their children.
 */
export class EqualChildren {
  /** By parent and fingerprint, the ids of children that can be taken for a message, in order. */
  readonly #byParent = new Map<string, Map<string, string[]>>();

  /** The equal child with the lowest id that is complete and no tombstone. `children` are all of the parent's, by id. */
  find(
    parent: string,
    children: readonly string[],
    nodeOf: (id: string) => NodeState | undefined,
    message: Message,
  ): NodeState | undefined {
    return this.findAll(parent, children, nodeOf, message).next().value;
  }

  /** All of them, in order. */
  *findAll(
    parent: string,
    children: readonly string[],
    nodeOf: (id: string) => NodeState | undefined,
    message: Message,
  ): Generator<NodeState, undefined> {
    const candidates =
      children.length < indexedFrom
        ? children
        : (this.#indexOf(parent, children, nodeOf).get(fingerprint(message)) ?? []);
    for (const id of candidates) {
      const child = nodeOf(id);
      const said = child && completeMessage(child);
      if (child !== undefined && said?.role === message.role && messagesEqual(said, message)) yield child;
    }
  }

  replace(before: NodeState | undefined, after: NodeState): void {
    if (before !== undefined) this.#remove(before);
    this.#add(after);
  }

  #indexOf(
    parent: string,
    children: readonly string[],
    nodeOf: (id: string) => NodeState | undefined,
  ): Map<string, string[]> {
    const known = this.#byParent.get(parent);
    if (known !== undefined) return known;
    const index = new Map<string, string[]>();
    this.#byParent.set(parent, index);
    for (const id of children) {
      const child = nodeOf(id);
      if (child !== undefined) this.#add(child);
    }
    return index;
  }

  #add(node: NodeState): void {
    const index = this.#byParent.get(node.parent);
    const message = index && completeMessage(node);
    if (index === undefined || message === undefined) return;
    const key = fingerprint(message);
    const ids = index.get(key);
    if (ids === undefined) index.set(key, [node.id]);
    else ids.splice(placeOfId(ids, node.id), 0, node.id);
  }

  #remove(node: NodeState): void {
    const index = this.#byParent.get(node.parent);
    const message = index && completeMessage(node);
    const ids = message && index?.get(fingerprint(message));
    if (ids === undefined) return;
    const place = placeOfId(ids, node.id);
    if (ids[place] === node.id) ids.splice(place, 1);
  }
}

/** What a node says, unless it is a tombstone or still being written. */
export function completeMessage(node: NodeState): Message | undefined {
  if (node.deleted === true || node.tool === 'waiting' || node.tool === 'running') return undefined;
  return node.blocks.every((block) => block.status === 'done') ? messageOf(node, node.blocks) : undefined;
}

/** Equal messages have equal fingerprints; different ones hardly ever, and are compared in full anyway. */
function fingerprint(message: Message): string {
  const parts: string[] = message.role === 'tool' ? [message.role, message.tool_call_id] : [message.role];
  for (const block of message.content) {
    if (block.type !== 'text' || !isBlank(block.text)) parts.push(blockFingerprint(block));
  }
  return parts.join('\n');
}

function blockFingerprint(block: MessageBlock): string {
  if (block.type === 'text' || block.type === 'thinking')
    return `${block.type} ${block.text.length} ${crc32(block.text)}`;
  return block.type === 'tool-use' ? `${block.type} ${block.id}` : block.type;
}
