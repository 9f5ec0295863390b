import type { ReactElement } from 'react';
import { Question } from '../ui/floating/Question.tsx';
import type { Wish } from './workspace.ts';

/** Says what something would do or cost before it is done. */
export function WishQuestion({ wish, onClose }: { wish: Wish; onClose: () => void }): ReactElement {
  const { title, words, action, run } = wish;
  return (
    <Question title={title} action={action} onAnswer={run} onClose={onClose}>
      <p>{words}</p>
    </Question>
  );
}
