import { useSyncExternalStore } from 'react';
import type { ReadableStore } from './store.ts';

/** What a store holds, as long as the component is shown. */
export function useStore<T>({ subscribe, getSnapshot }: ReadableStore<T>): T {
  return useSyncExternalStore(subscribe, getSnapshot);
}
