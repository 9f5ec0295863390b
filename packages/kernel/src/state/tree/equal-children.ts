import { isBlank, messagesEqual, saidContent, saysSame } from '@loom/blocks';
import type { Message, MessageBlock } from '@loom/blocks';
import { crc32 } from '../crc32.ts';
import { messageOf } from '../node-state.ts';
import type { NodeState } from '../node-state.ts';
import { placeOfId } from './id-order.ts';

/** Fewer children than this are compared one by one. */
const indexedFrom = 17;

/** One way to compare nodes with messages. */
interface Equality {
  /** The message of a node that can be taken for one; `undefined` if it is a tombstone or still being written. */
  messageOf(node: NodeState): Message | undefined;
  areEqual(left: Message, right: Message): boolean;
  /** Equal messages have equal fingerprints; different ones hardly ever, and are compared in full anyway. */
  fingerprint(message: Message): string;
}

/**
 * Finds the child of a node that says the same as a message. Parents with many children get an index by fingerprint when
 * they are first asked for, which then follows every change of their children.
 */
export class EqualChildren {
  /** The ids of children that can be taken for a message, in order, by parent and fingerprint. */
  readonly #byParent = new Map<string, Map<string, string[]>>();
  readonly #equality: Equality;

  constructor(equality: Equality = exactly) {
    this.#equality = equality;
  }

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
        : (this.#indexOf(parent, children, nodeOf).get(this.#equality.fingerprint(message)) ?? []);
    for (const id of candidates) {
      const child = nodeOf(id);
      const said = child && this.#equality.messageOf(child);
      if (child !== undefined && said !== undefined && this.#equality.areEqual(said, message)) yield child;
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
    const message = index && this.#equality.messageOf(node);
    if (index === undefined || message === undefined) return;
    const key = this.#equality.fingerprint(message);
    const ids = index.get(key);
    if (ids === undefined) index.set(key, [node.id]);
    else ids.splice(placeOfId(ids, node.id), 0, node.id);
  }

  #remove(node: NodeState): void {
    const index = this.#byParent.get(node.parent);
    const message = index && this.#equality.messageOf(node);
    const ids = message && index?.get(this.#equality.fingerprint(message));
    if (ids === undefined) return;
    const place = placeOfId(ids, node.id);
    if (ids[place] === node.id) ids.splice(place, 1);
  }
}

/** The message of a node, unless it is a tombstone, still being written, or was cut off. */
export function completeMessage(node: NodeState): Message | undefined {
  return node.blocks.every((block) => block.status === 'done') ? endedMessage(node) : undefined;
}

/** The message of a node, also one that was cut off: a program repeats as much of it as it has heard. */
function endedMessage(node: NodeState): Message | undefined {
  if (node.deleted === true || node.tool === 'waiting' || node.tool === 'running') return undefined;
  const isOver = node.blocks.every(({ status }) => status === 'done' || status === 'error');
  return isOver ? messageOf(node, node.blocks) : undefined;
}

const exactly: Equality = { messageOf: completeMessage, areEqual: messagesEqual, fingerprint };

/** Compares by what a program repeats of a message. */
export const asSaid: Equality = { messageOf: endedMessage, areEqual: saysSame, fingerprint: saidFingerprint };

function saidFingerprint(message: Message): string {
  const { role, answers = '', parts, calls } = saidContent(message);
  // White space may differ at every seam, so none of it counts here.
  const texts = parts
    .flatMap((part) => (Array.isArray(part) ? part : []))
    .join('')
    .replaceAll(/\s/gu, '');
  return [role, answers, texts.length, crc32(texts), ...calls.map(({ id }) => id)].join('\n');
}

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
