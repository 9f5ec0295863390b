import { useRef, useSyncExternalStore } from 'react';
import type { ReadableStore } from './store.ts';

/** What a store holds, as it was before the changes that do not matter here: only the others draw the component again. */
export function useStill<T>({ subscribe, getSnapshot }: ReadableStore<T>, isSame: (one: T, other: T) => boolean): T {
  const kept = useRef<{ readonly value: T } | undefined>(undefined);
  return useSyncExternalStore(subscribe, () => {
    const value = getSnapshot();
    if (kept.current === undefined || !isSame(kept.current.value, value)) kept.current = { value };
    return kept.current.value;
  });
}
