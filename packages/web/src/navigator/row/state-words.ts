import type { ListedRoot } from '@loom/kernel';

/** The state of a conversation in lists. */
export type ListedState = 'waiting' | 'running' | 'failed' | 'done';

type Stated = Pick<ListedRoot, 'needs' | 'running' | 'failed' | 'damaged'>;

export function stateOf({ needs, running, failed, damaged }: Stated): ListedState {
  if (needs.length > 0) return 'waiting';
  if (running.length > 0) return 'running';
  return failed === true || damaged !== undefined ? 'failed' : 'done';
}

/** Words the state of a conversation, for a column and in a sentence of its own. */
export function stateWords(item: Stated): { short: string; long: string } {
  if (item.damaged !== undefined) return { short: 'damaged', long: 'Cannot be read' };
  return words[stateOf(item)];
}

const words = {
  waiting: { short: 'needs you', long: 'Waits for you' },
  running: { short: 'running', long: 'Running' },
  failed: { short: 'failed', long: 'Ended with an error' },
  done: { short: 'done', long: 'Done' },
} as const;
