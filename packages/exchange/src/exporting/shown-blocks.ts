import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';

/**
 * Returns the blocks of a message that people are shown. The text of a tool's result repeats the structured views beside it, so it is left out if it
 * has any.
 */
export function blocksForPeople({ role, blocks }: NodeState): readonly MessageBlock[] {
  if (role !== 'tool' || !blocks.some(isView)) return blocks;
  return blocks.filter(({ type }) => type !== 'text');
}

function isView({ type }: MessageBlock): boolean {
  return type === 'code' || type === 'command' || type === 'file-change' || type === 'todo';
}

/** Returns the speaker, in one or two words. */
export function speakerOf({ role, source }: NodeState): string {
  if (role === 'user') return 'You';
  if (source.type === 'model') return source.model_name;
  if (source.type === 'tool_result') return source.tool_name;
  return role === 'tool' ? 'Tool' : 'Assistant';
}
