import { useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import { useConversation } from '../app/loom-context.ts';
import { useMay } from '../work/use-may.ts';
import { later } from '../ui/later.tsx';

const TurnCard = later(async () => (await import('../review/TurnCard.tsx')).TurnCard);

/** The end of a turn that has changed files, once it is over. */
export function TurnEnd({ node, turn }: { node: string; turn: string }): ReactElement | null {
  const { whole } = useConversation().watch;
  const isOver = useSyncExternalStore(
    whole.subscribe,
    () => !whole.getSnapshot().root.turns.some((running) => running.turn === turn),
  );
  if (useMay('turn.changes') !== true || !isOver) return null;
  return (
    <div className="row">
      <TurnCard node={node} />
    </div>
  );
}
