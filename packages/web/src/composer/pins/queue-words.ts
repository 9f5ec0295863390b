import type { MessageBlock, TodoItem } from '@loom/blocks';
import { count } from '../../words/amounts.ts';

/** A message that waits, in one line. */
export function waitingWords(kind: 'steer' | 'queue', blocks: readonly MessageBlock[]): string {
  return `${kind === 'steer' ? 'Steering' : 'Queued'}: ${lineOf(blocks)}`;
}

/** Returns the words of a message in one line; other blocks are counted. */
export function lineOf(blocks: readonly MessageBlock[]): string {
  const words = blocks
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join(' ')
    .replace(/\s+/gu, ' ')
    .trim();
  const others = blocks.filter(({ type }) => type !== 'text').length;
  if (others === 0) return words;
  return words === '' ? count(others, 'file') : `${words} (and ${count(others, 'file')})`;
}

/** Returns a plan in one line: the present step, and the progress. */
export function planWords(items: readonly TodoItem[]): { now: string; progress: string } | undefined {
  if (items.length === 0) return undefined;
  const done = items.filter(({ status }) => status === 'completed').length;
  const open = items.find(({ status }) => status === 'in_progress') ?? items.find(({ status }) => status === 'pending');
  return { now: open?.content ?? 'Everything is done', progress: `${done} of ${items.length}` };
}
