import { useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import { useConversation } from '../../app/loom-context.ts';
import type { ToolRow } from '../../conversation/rows.ts';
import { useStore } from '../../stores/use-store.ts';
import { ToolCardView } from './ToolCardView.tsx';

/** A call of the conversation with its result, drawn again when either has become another one. */
export function ToolCard({ row }: { row: ToolRow }): ReactElement | null {
  const { watch } = useConversation();
  const call = useStore(watch.block(row.block));
  const result = useStore(watch.node(row.result ?? ''));
  const isLive = useIsLive(row.node);
  return call?.type === 'tool-use' ? <ToolCardView call={call} result={result} isLive={isLive} /> : null;
}

/** Returns true while the turn that wrote a node is running. */
function useIsLive(node: string): boolean {
  const { watch, replica } = useConversation();
  const { whole } = watch;
  return useSyncExternalStore(whole.subscribe, () => {
    const turn = replica.nodes.get(node)?.turn;
    return whole.getSnapshot().root.turns.some((running) => running.turn === turn);
  });
}
