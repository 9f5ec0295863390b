import type { ReactElement } from 'react';
import { useConversation } from '../../app/loom-context.ts';
import { usePart } from '../../stores/use-part.ts';
import { turnFigures } from './turn-words.ts';

/** The duration of a turn and what it used, beside the header of its answer. */
export function TurnSums({ node }: { node: string }): ReactElement | null {
  const { turns } = useConversation();
  const turn = usePart(turns.items, (items) => items.find(({ answer }) => answer === node));
  if (turn === undefined) return null;
  return <span className="turn-sums figures">{turnFigures(turn).join(' · ')}</span>;
}
