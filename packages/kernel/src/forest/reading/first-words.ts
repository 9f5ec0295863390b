import { isPurged, purgedWords, renderBlockAsText } from '@loom/blocks';
import type { NodeState } from '../../state/node-state.ts';

/** Returns the beginning of a message for lists: its first text, cut at a length, and the names of its calls. */
export function firstWords({ blocks }: NodeState, length: number): string {
  const text = blocks.find((block) => block.type === 'text' && block.text.trim() !== '');
  const calls = blocks.flatMap((block) => (block.type === 'tool-use' ? [`● ${block.name}`] : []));
  const shown = text ?? blocks.find((block) => block.type !== 'tool-use');
  const words = shown === undefined ? '' : isPurged(shown) ? purgedWords : renderBlockAsText(shown).slice(0, length);
  return [words, ...calls].filter(Boolean).join(' ');
}
