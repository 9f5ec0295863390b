import { isBlank, isTextOnly } from '@loom/blocks';
import type { Message } from '@loom/blocks';
import type { NodeState } from '../../state/node-state.ts';
import type { RootState } from '../../state/root-state.ts';
import { textsOf } from '../editing/text/block-plan.ts';
import { completeMessage } from '../../state/tree/equal-children.ts';

/**
 * The nodes below a parent that hold the first of some messages already, as many as there are. At each step the equal child
 * with the lowest id is taken; without one, a child whose text goes on below it until the whole message is there; without
 * that, what hangs below children that say nothing. A message that says nothing and is not there is no obstacle: it counts
 * as held by the node that holds the next one.
 */
export function findShared(state: RootState, parent: string, messages: readonly Message[]): string[] {
  const nodes: string[] = [];
  let place = parent;
  for (const [index, message] of messages.entries()) {
    if (isSilent(message)) continue;
    const found = findHolder(state, place, message);
    if (found === undefined) break;
    while (nodes.length < index) nodes.push(found.silent.shift() ?? found.node);
    nodes.push(found.node);
    place = found.node;
  }
  // What says nothing and comes last has nothing behind it that could tell its place.
  for (const message of messages.slice(nodes.length)) {
    const same = isSilent(message) ? equalChild(state, place, message) : undefined;
    if (same === undefined) break;
    nodes.push(same.id);
    place = same.id;
  }
  return nodes;
}

/** Where a message is, and the nodes that say nothing on the way to it. */
interface Holder {
  node: string;
  silent: string[];
}

function findHolder(state: RootState, parent: string, message: Message): Holder | undefined {
  const pending: Holder[] = [{ node: parent, silent: [] }];
  for (const { node: at, silent } of pending) {
    const node = equalChild(state, at, message)?.id ?? findParts(state, at, message);
    if (node !== undefined) return { node, silent };
    for (const id of silentChildren(state, at)) pending.push({ node: id, silent: [...silent, id] });
  }
  return undefined;
}

function equalChild(state: RootState, parent: string, message: Message): NodeState | undefined {
  const children = state.children.get(parent);
  return children && state.index.equalChildren.find(parent, children, (id) => state.nodes.get(id), message);
}

/** The live, complete children that say nothing. */
function* silentChildren(state: RootState, parent: string): Generator<string> {
  const children = state.children.get(parent) ?? [];
  for (const role of ['user', 'assistant'] as const) {
    const silence: Message = { role, content: [{ type: 'text', text: '' }] };
    for (const { id } of state.index.equalChildren.findAll(
      parent,
      children,
      (child) => state.nodes.get(child),
      silence,
    )) {
      yield id;
    }
  }
}

function isSilent(message: Message): boolean {
  return message.role !== 'tool' && message.content.every((block) => block.type === 'text' && isBlank(block.text));
}

/** The node with which a message ends whose text begins in a child of a node and goes on below it. */
function findParts(state: RootState, parent: string, message: Message): string | undefined {
  if (!isTextOnly(message)) return undefined;
  const wanted = textsOf(message.content).filter((text) => !isBlank(text));
  const nodeOf = (id: string): NodeState | undefined => state.nodes.get(id);
  const begun = state.index.cutTexts.begunBelow(parent).flatMap((id) => nodeOf(id) ?? []);
  const pending = begun.reverse().map((node) => ({ node, before: nothingRead }));
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, before } = next;
    const read = node.role === message.role ? readOn(wanted, before, node) : undefined;
    if (read === undefined || completeMessage(node) === undefined) continue;
    if (isReadToEnd(wanted, read)) return node.id;
    const parts = state.index.cutTexts.partsBelow(node, nodeOf);
    for (const part of parts.reverse()) pending.push({ node: part, before: read });
  }
  return undefined;
}

/** How far nodes that follow each other agree with the texts that are looked for. */
interface Reading {
  /** How many texts are complete. */
  complete: number;
  /** The last one, which may go on in the next node. */
  last: string;
}

const nothingRead: Reading = { complete: 0, last: '' };

function readOn(wanted: readonly string[], { complete, last }: Reading, node: NodeState): Reading | undefined {
  const [first = '', ...others] = textsOf(node.blocks);
  const texts = node.continues === true ? [last + first, ...others] : [last, first, ...others];
  const end = texts.pop() ?? '';
  let known = complete;
  for (const text of texts) {
    if (isBlank(text)) continue;
    if (text !== wanted[known]) return undefined;
    known += 1;
  }
  return isBlank(end) || wanted[known]?.startsWith(end) === true ? { complete: known, last: end } : undefined;
}

function isReadToEnd(wanted: readonly string[], { complete, last }: Reading): boolean {
  if (isBlank(last)) return complete === wanted.length;
  return complete + 1 === wanted.length && last === wanted[complete];
}
