import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';

/** Returns true if two states of a message have the same facts, and differ at most in text that models and tools have written meanwhile. */
export function isSameHead(one: NodeState | undefined, other: NodeState | undefined): boolean {
  if (one === other) return true;
  if (one === undefined || other === undefined) return false;
  const { blocks, touched: _touched, ...head } = one;
  const { blocks: others, touched: _otherTouched, ...otherHead } = other;
  return isShallowSame(head, otherHead) && hasSameBlocks(one.role, blocks, others);
}

/** Returns true if a block is the same but for words that were added to it while it is being written. */
export function isSameButGrown(one: MessageBlock | undefined, other: MessageBlock | undefined): boolean {
  if (one === other) return true;
  return one?.status === 'running' && other?.status === 'running' && one.block_id === other.block_id;
}

/** Versions count for what persons wrote: theirs are edits. */
function hasSameBlocks(
  role: NodeState['role'],
  blocks: readonly MessageBlock[],
  others: readonly MessageBlock[],
): boolean {
  return (
    blocks.length === others.length &&
    blocks.every((block, index) => {
      const other = others[index];
      return block.block_id === other?.block_id && (role !== 'user' || block.version === other?.version);
    })
  );
}

function isShallowSame(one: object, other: object): boolean {
  const entries = new Map(Object.entries(other));
  const own = Object.entries(one);
  return own.length === entries.size && own.every(([key, value]) => Object.is(value, entries.get(key)));
}
