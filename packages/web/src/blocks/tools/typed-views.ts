import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';

/** Returns the typed blocks of a result. */
export function typedViews({ blocks }: NodeState): readonly MessageBlock[] {
  return blocks.filter(({ type }) => type !== 'text');
}

/** Returns the text that a result gives to the model. */
export function textOf({ blocks }: NodeState): string {
  return blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
}
