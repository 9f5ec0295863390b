import { useSyncExternalStore } from 'react';
import type { ReadableStore } from './store.ts';

/** Returns the value of a store, as long as the component is shown. */
export function useStore<T>({ subscribe, getSnapshot }: ReadableStore<T>): T {
  return useSyncExternalStore(subscribe, getSnapshot);
}
