import { useRef, useSyncExternalStore } from 'react';
import type { ReadableStore } from './store.ts';

/** Returns the value of a store as it was before changes that do not matter here: only the others draw the component again. */
export function useStill<T>({ subscribe, getSnapshot }: ReadableStore<T>, isSame: (one: T, other: T) => boolean): T {
  const kept = useRef<{ readonly value: T } | undefined>(undefined);
  return useSyncExternalStore(subscribe, () => {
    const value = getSnapshot();
    if (kept.current === undefined || !isSame(kept.current.value, value)) kept.current = { value };
    return kept.current.value;
  });
}
