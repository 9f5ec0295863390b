import { estimateInputTokens } from '@loom/blocks';
import type { EstimateOptions, Message } from '@loom/blocks';
import { pathTo } from '../forest/tree.ts';
import type { NodeState } from '../node-state.ts';
import type { Hash } from '../ports.ts';
import type { RootState } from '../root-state.ts';
import { buildContext } from './context.ts';
import type { PrefixHead } from './prefix.ts';

/** What a change would cost one leaf. */
export interface Cost {
  leaf: string;
  /** Thinking that its model could not be shown any more. */
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
  // What was never sent was never cached: only what both have room for counts.
  const again = willBe.messages.slice(shared, Math.max(shared, was.messages.length));
  const prompt = sameHead ? undefined : after.head.systemPrompt;
  return {
    leaf,
    invalid_thinking: thinkingShown(before.path, was.invalid).filter(
      (id) => !stillShown(after.path, willBe.invalid, id),
    ),
    tokens_again: shared === was.messages.length ? 0 : estimateInputTokens(again, prompt, options),
  };
}

/** The live leaves at or below a node, the most recent first: those that a change there affects. */
export function affectedLeaves(state: RootState, top: string): string[] {
  const leaves: { id: string; touched: number }[] = [];
  const pending = [top];
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    const children = (state.children.get(id) ?? []).filter((child) => state.nodes.get(child)?.deleted !== true);
    if (children.length === 0 && id !== state.id) leaves.push({ id, touched: state.nodes.get(id)?.touched ?? 0 });
    pending.push(...children);
  }
  return leaves.sort((a, b) => b.touched - a.touched).map(({ id }) => id);
}

/** The path to a leaf with some nodes replaced: how it would look after a change. */
export function pathWith(state: RootState, leaf: string, changed: ReadonlyMap<string, NodeState>): NodeState[] {
  return pathTo(state, leaf).map((node) => changed.get(node.id) ?? node);
}

/** How many messages two requests begin with in common, byte for byte. */
function sharedMessages(left: readonly Message[], right: readonly Message[]): number {
  const difference = right.findIndex((message, index) => JSON.stringify(message) !== JSON.stringify(left[index]));
  return difference === -1 ? right.length : difference;
}

/** Thinking on a path that its own model is shown. */
function thinkingShown(path: readonly NodeState[], invalid: readonly string[]): string[] {
  return path.flatMap((node) =>
    node.blocks.flatMap((block) =>
      block.type === 'thinking' &&
      block.prefix !== undefined &&
      block.block_id !== undefined &&
      !invalid.includes(block.block_id)
        ? [block.block_id]
        : [],
    ),
  );
}

function stillShown(path: readonly NodeState[], invalid: readonly string[], id: string): boolean {
  return thinkingShown(path, invalid).includes(id);
}
