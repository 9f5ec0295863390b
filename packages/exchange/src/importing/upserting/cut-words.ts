import { stableDeepEqual } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import type { ForeignBlock } from '../../foreign/foreign.ts';

/** A block that was cut off when Loom stopped, and what its source says it became. */
export interface CompletedBlock {
  readonly key: string;
  readonly before: MessageBlock;
  readonly now: MessageBlock;
}

/**
 * Returns the blocks of a message that Loom heard until it was stopped, and that the session of the agent has whole. What a person has changed since
 * is no beginning of those words any longer, and stays.
 */
export function completedBlocks(known: NodeState, blocks: readonly ForeignBlock[]): CompletedBlock[] {
  if (known.turn === undefined || known.deleted === true || known.role === 'user') return [];
  const cut = known.blocks.filter(wasCut);
  return blocks.flatMap(({ key, block: now }) => {
    const index = cut.findIndex((before) => begins(before, now));
    const [before] = index === -1 ? [] : cut.splice(index, 1);
    return before === undefined ? [] : [{ key, before, now }];
  });
}

function wasCut({ status, error }: MessageBlock): boolean {
  return status === 'error' && error?.code === 'interrupted';
}

function begins(before: MessageBlock, now: MessageBlock): boolean {
  switch (before.type) {
    case 'text':
    case 'thinking':
      return now.type === before.type && now.text.startsWith(before.text);
    case 'tool-use':
      return now.type === 'tool-use' && now.id === before.id && now.name === before.name;
    default:
      return now.type === before.type && stableDeepEqual(now, before);
  }
}
