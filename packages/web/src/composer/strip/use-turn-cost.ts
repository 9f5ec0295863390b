import { useMemo } from 'react';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { Store } from '../../stores/store.ts';
import { useStore } from '../../stores/use-store.ts';
import { costOfLastTurn } from './turn-cost.ts';

const noRows = new Store<readonly unknown[]>([]);
const noState = new Store<unknown>(undefined);

/** Returns the cost so far of the turn at the end of the branch on display, if known. */
export function useTurnCost(conversation: OpenConversation | undefined): number | undefined {
  const path = useStore<readonly unknown[]>(conversation?.path ?? noRows);
  const state = useStore<unknown>(conversation?.watch.whole ?? noState);
  return useMemo(
    () =>
      conversation === undefined || path.length === 0 || state === undefined
        ? undefined
        : costOfLastTurn(conversation.path.getSnapshot(), conversation.replica.nodes),
    [conversation, path, state],
  );
}
