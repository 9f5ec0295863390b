import type { ReactElement } from 'react';
import { Question } from '../ui/floating/Question.tsx';
import type { PricedWish } from './workspace.ts';

/** Says what something costs before it is done. */
export function PricedQuestion({ wish, onClose }: { wish: PricedWish; onClose: () => void }): ReactElement {
  const { title, price, action, run } = wish;
  return (
    <Question title={title} action={action} onAnswer={run} onClose={onClose}>
      <p>{price}</p>
    </Question>
  );
}
