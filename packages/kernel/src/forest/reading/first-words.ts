import { isPurged, personWords, purgedWords, renderBlockAsText } from '@loom/blocks';
import type { NodeState } from '../../state/node-state.ts';

/** Returns the beginning of a message for lists: a person's first words, else its first text, cut at a length, and the names of its calls. */
export function firstWords(node: NodeState, length: number): string {
  const said = isSentByProgram(node) ? wordsOfPerson(node.blocks) : '';
  return said === '' ? firstText(node, length) : said.slice(0, length);
}

/** Returns true for a message that another program sent in the name of its user: it may hold text of that program, too. */
export function isSentByProgram({ role, origin }: Pick<NodeState, 'role' | 'origin'>): boolean {
  return role === 'user' && origin !== undefined;
}

/** Returns the first text of a message, whoever wrote it, cut at a length, and the names of its calls. */
export function firstText({ blocks }: NodeState, length: number): string {
  const text = blocks.find((block) => block.type === 'text' && block.text.trim() !== '');
  const calls = blocks.flatMap((block) => (block.type === 'tool-use' ? [`● ${block.name}`] : []));
  const shown = text ?? blocks.find((block) => block.type !== 'tool-use');
  const words = shown === undefined ? '' : isPurged(shown) ? purgedWords : renderBlockAsText(shown).slice(0, length);
  return [words, ...calls].filter(Boolean).join(' ');
}

/** Returns the first words of a person among texts that came from another program; empty if a program wrote them all. */
export function wordsOfPerson(blocks: NodeState['blocks']): string {
  for (const block of blocks) {
    const words = block.type === 'text' && !isPurged(block) ? personWords(block.text) : '';
    if (words !== '') return words;
  }
  return '';
}
