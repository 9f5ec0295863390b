import { useEffect, useReducer } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { stay, trayItems } from './tray-items.ts';
import type { TrayItem } from './tray-items.ts';
import type { Waiting } from './waiting-calls.ts';

/** Returns the items of the tray, and if they are known yet. */
export function useTrayItems(): { items: readonly TrayItem[]; state: Waiting } {
  const state = useStore(useLoom().waiting);
  const [items, refresh] = useReducer(
    (before: readonly TrayItem[], { calls }: Waiting) => trayItems(before, calls, Date.now()),
    state,
    ({ calls }) => trayItems([], calls, Date.now()),
  );
  useEffect(() => refresh(state), [state]);
  const hasEnded = items.some(({ endedAt }) => endedAt !== undefined);
  useEffect(() => {
    if (!hasEnded) return undefined;
    const timer = setTimeout(() => refresh(state), stay);
    return () => clearTimeout(timer);
  }, [hasEnded, items, state]);
  return { items, state };
}
