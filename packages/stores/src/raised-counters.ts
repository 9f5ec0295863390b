import type { RootOp } from '@loom/kernel/logs';

/** The highest numbers already used for nodes, and for the blocks of each agent. */
export interface UsedNumbers {
  node: number;
  blocks: ReadonlyMap<string, number>;
}

/** Numbers are counted on from so much further, where a log that is gone may have given out more than is known. */
export const counterJump = 1_000_000;

/** The op that keeps a root from giving out numbers again that it may have given out before. */
export function raiseCounters({ node, blocks }: UsedNumbers): RootOp {
  return { type: 'counters-raised', node, blocks: Object.fromEntries(blocks), others: counterJump };
}
