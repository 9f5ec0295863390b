import { useCallback, useSyncExternalStore } from 'react';
import type { TurnView } from '@loom/sync';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { turnOn } from './running-turn.ts';

/** The turn that goes on at the end of the branch that is shown. */
export function useRunningTurn(conversation: OpenConversation | undefined): TurnView | undefined {
  const subscribe = useCallback(
    (listener: () => void) => {
      const stops = [conversation?.watch.whole.subscribe(listener), conversation?.path.subscribe(listener)];
      return () => stops.forEach((stop) => stop?.());
    },
    [conversation],
  );
  return useSyncExternalStore(subscribe, () =>
    conversation === undefined
      ? undefined
      : turnOn(conversation.root, conversation.path.getSnapshot(), conversation.watch.whole.getSnapshot().root.turns),
  );
}
