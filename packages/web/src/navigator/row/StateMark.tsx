import type { ReactElement } from 'react';
import type { ListedRoot } from '@loom/kernel';
import { stateOf, stateWords } from './state-words.ts';

const marks = {
  waiting: 'mark mark-waiting',
  running: 'mark mark-model mark-running',
  failed: 'mark mark-failed',
  done: '',
} as const;

/** The mark before the title of a conversation; nothing if it is over and was looked at. */
export function StateMark({ item, isNew }: { item: ListedRoot; isNew: boolean }): ReactElement | null {
  const state = stateOf(item);
  if (state !== 'done') return <GroupMark state={state} words={stateWords(item).long} />;
  return isNew ? (
    <span className="unread" role="img" aria-label="New since you looked" title="New since you looked" />
  ) : null;
}

/** The mark of a state; none for what is done. */
export function GroupMark({
  state,
  words,
}: {
  state: 'waiting' | 'running' | 'failed' | 'done';
  words: string;
}): ReactElement | null {
  return state === 'done' ? null : <span className={marks[state]} role="img" aria-label={words} title={words} />;
}
