import { estimateInputTokens } from '@loom/blocks';
import type { EstimateOptions, Message } from '@loom/blocks';
import { liveChildren, pathTo } from '../state/tree/tree.ts';
import type { NodeState } from '../state/node-state.ts';
import type { Hash } from '../ports.ts';
import type { RootState } from '../state/root-state.ts';
import { buildContext } from './context.ts';
import type { PrefixHead } from './prefix.ts';

/** The cost of a change for one leaf. */
export interface Cost {
  leaf: string;
  /** Thinking that its model could no longer be shown. */
  invalid_thinking: string[];
  /** Input tokens that were cached and would have to be paid again. */
  tokens_again: number;
}

/**
 * Compares what a model is shown of a leaf's path before and after a change of that path, which need not have happened:
 * `after` is the path as it would be. For another model, give the other head.
 */
export function costOf(
  leaf: string,
  before: { path: readonly NodeState[]; head: PrefixHead },
  after: { path: readonly NodeState[]; head: PrefixHead },
  hash: Hash,
  options: EstimateOptions = {},
): Cost {
  const was = buildContext(before.path, before.head, hash);
  const willBe = buildContext(after.path, after.head, hash);
  const sameHead = JSON.stringify(before.head) === JSON.stringify(after.head);
  const shared = sameHead ? sharedMessages(was.messages, willBe.messages) : 0;
  // Messages that were never sent were never cached: only those that both have room for count.
  const again = willBe.messages.slice(shared, Math.max(shared, was.messages.length));
  const prompt = sameHead ? undefined : after.head.systemPrompt;
  const stillShown = new Set(thinkingShown(after.path, willBe.invalid));
  return {
    leaf,
    invalid_thinking: thinkingShown(before.path, was.invalid).filter((id) => !stillShown.has(id)),
    tokens_again: shared === was.messages.length ? 0 : estimateInputTokens(again, prompt, options),
  };
}

/** The cost of changing one node for the branches that go through it. */
export interface ChangeCost {
  /** The branches that it costs something, the most recent first. */
  costs: Cost[];
  /** The number of older branches that go through the node and were not looked at. */
  unseen: number;
}

/** A node as it is and as it would be, or as it was and as it is; `headOf` says what requests along a path begin with. */
export interface NodeChange {
  before: NodeState;
  after: NodeState;
  headOf: (path: readonly NodeState[]) => PrefixHead | undefined;
  /** The head as it would be; by default it stays. */
  changedHead?: (head: PrefixHead) => PrefixHead;
}

/**
 * Computes the cost of changing one node in its place for the branches below it. The most recent ones are looked at until
 * their paths together have `nodeLimit` nodes, and at least one is: so the work grows with the depth, not with leaves times
 * depth.
 */
export function costOfChange(
  state: RootState,
  { before, after, headOf, changedHead = (head) => head }: NodeChange,
  hash: Hash,
  nodeLimit = 10_000,
): ChangeCost {
  const leaves = leavesBelow(state, before.id);
  const costs: Cost[] = [];
  let nodes = 0;
  let seen = 0;
  for (const leaf of leaves) {
    if (seen > 0 && nodes >= nodeLimit) break;
    const path = pathTo(state, leaf);
    nodes += path.length;
    seen += 1;
    const head = headOf(path);
    if (head === undefined) continue;
    const pathWith = (changed: NodeState) => path.map((node) => (node.id === changed.id ? changed : node));
    const cost = costOf(
      leaf,
      { path: pathWith(before), head },
      { path: pathWith(after), head: changedHead(head) },
      hash,
    );
    if (cost.tokens_again > 0 || cost.invalid_thinking.length > 0) costs.push(cost);
  }
  return { costs, unseen: leaves.length - seen };
}

/** The leaves at or below a node, the most recent first: those that a change there affects. */
function leavesBelow(state: RootState, top: string): string[] {
  const leaves: NodeState[] = [];
  const pending = [top];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const children = liveChildren(state, id);
    const node = children.length === 0 ? state.nodes.get(id) : undefined;
    if (node !== undefined) leaves.push(node);
    for (const child of children) pending.push(child.id);
  }
  return leaves.sort((a, b) => b.touched - a.touched).map(({ id }) => id);
}

/** Returns the number of messages that two requests begin with in common, byte for byte. */
function sharedMessages(left: readonly Message[], right: readonly Message[]): number {
  const difference = right.findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(left[index]));
  return difference === -1 ? right.length : difference;
}

/** Thinking on a path that its own model is shown. */
function thinkingShown(path: readonly NodeState[], invalid: readonly string[]): string[] {
  const hidden = new Set(invalid);
  return path.flatMap((node) =>
    node.blocks.flatMap(({ type, prefix, block_id: id }) =>
      type === 'thinking' && prefix !== undefined && id !== undefined && !hidden.has(id) ? [id] : [],
    ),
  );
}
