import { isBlank, isTextOnly, saysNothing } from '@loom/blocks';
import type { Message } from '@loom/blocks';
import type { NodeState } from '../../state/node-state.ts';
import type { RootState } from '../../state/root-state.ts';
import { textsOf } from '../editing/text/block-plan.ts';
import { completeMessage } from '../../state/tree/equal-children.ts';

/**
 * The equality that messages are looked for by: `exact` (people and importers), or `said` (programs that send whole
 * conversations again and repeat of an answer only what they have use for).
 */
export type Match = 'exact' | 'said';

/**
 * The nodes below a parent that hold the first of some messages already, as many as there are. At each step the equal child
 * with the lowest id is taken; without one, a child whose text goes on below it until the whole message is there; without
 * that, the nodes below children that say nothing. A missing message that says nothing does not stop the search: it counts
 * as held by the node that holds the next one. When compared by what was said, results that follow each other may hang in
 * another order; their nodes are returned in that of the tree.
 */
export function findShared(
  state: RootState,
  parent: string,
  messages: readonly Message[],
  match: Match = 'exact',
): string[] {
  const nodes: string[] = [];
  let place = parent;
  for (const [index, message] of messages.entries()) {
    if (index < nodes.length || isSilent(message, match)) continue;
    const results = match === 'said' ? findResults(state, place, resultsFrom(messages, index)) : undefined;
    if (results !== undefined) {
      while (nodes.length < index) nodes.push(results[0] ?? place);
      nodes.push(...results);
      place = results.at(-1) ?? place;
      continue;
    }
    const found = findHolder(state, place, message, match);
    if (found === undefined) break;
    while (nodes.length < index) nodes.push(found.silent.shift() ?? found.node);
    nodes.push(found.node);
    place = found.node;
  }
  // A last message that says nothing has nothing behind it that could tell its place.
  for (const message of messages.slice(nodes.length)) {
    const same = isSilent(message, match) ? equalChild(state, place, message) : undefined;
    if (same === undefined) break;
    nodes.push(same.id);
    place = same.id;
  }
  return nodes;
}

/** The node that holds a message, and the nodes that say nothing on the way to it. */
interface Holder {
  node: string;
  silent: string[];
}

function findHolder(state: RootState, parent: string, message: Message, match: Match): Holder | undefined {
  const pending: Holder[] = [{ node: parent, silent: [] }];
  for (const { node: at, silent } of pending) {
    const same = equalChild(state, at, message)?.id ?? findParts(state, at, message);
    const node = same ?? (match === 'said' ? saidChildren(state, at, message).next().value?.id : undefined);
    if (node !== undefined) return { node, silent };
    for (const id of silentChildren(state, at, match)) pending.push({ node: id, silent: [...silent, id] });
  }
  return undefined;
}

function equalChild(state: RootState, parent: string, message: Message): NodeState | undefined {
  const children = state.children.get(parent);
  return children && state.index.equalChildren.find(parent, children, (id) => state.nodes.get(id), message);
}

/** The live children of which a program would repeat the same as of a message. */
function saidChildren(state: RootState, parent: string, message: Message): Generator<NodeState, undefined> {
  const children = state.children.get(parent) ?? [];
  return state.index.saidChildren.findAll(parent, children, (id) => state.nodes.get(id), message);
}

/**
 * Finds a chain of nodes below a parent that holds all of some results, in any order. Returned as they hang below each other: the
 * conversation goes on below the last one.
 */
function findResults(state: RootState, parent: string, results: readonly Message[]): string[] | undefined {
  if (results.length < 2) return undefined;
  const pending: { chain: readonly string[]; missing: readonly Message[] }[] = [{ chain: [], missing: results }];
  // A node may be taken for any of several equal results; which one makes no difference, so it is looked at once.
  const seen = new Set<string>();
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { chain, missing } = next;
    if (missing.length === 0) return [...chain];
    const further = missing.flatMap((result, index) =>
      [...saidChildren(state, chain.at(-1) ?? parent, result)].flatMap(({ id }) => {
        if (seen.has(id)) return [];
        seen.add(id);
        return [{ chain: [...chain, id], missing: missing.toSpliced(index, 1) }];
      }),
    );
    // The last one pushed is tried first: the results in the order of the messages, and of equal nodes the lowest.
    pending.push(...further.reverse());
  }
  return undefined;
}

/** The results that follow each other from one message on. */
function resultsFrom(messages: readonly Message[], start: number): readonly Message[] {
  const end = messages.findIndex(({ role }, index) => index >= start && role !== 'tool');
  return messages.slice(start, end === -1 ? messages.length : Math.max(end, start));
}

/** The live, complete children that say nothing. */
function* silentChildren(state: RootState, parent: string, match: Match): Generator<string> {
  const children = state.children.get(parent) ?? [];
  const index = match === 'said' ? state.index.saidChildren : state.index.equalChildren;
  for (const role of ['user', 'assistant'] as const) {
    const silence: Message = { role, content: [{ type: 'text', text: '' }] };
    for (const { id } of index.findAll(parent, children, (child) => state.nodes.get(child), silence)) yield id;
  }
}

function isSilent(message: Message, match: Match): boolean {
  if (match === 'said') return saysNothing(message);
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

/** The progress of matching consecutive nodes against the texts that are looked for. */
interface Reading {
  /** The number of texts that are complete. */
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
