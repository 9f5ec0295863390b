import { useSyncExternalStore } from 'react';
import type { ReadableStore } from './store.ts';

/** Returns a part of a store's value: the component is drawn again only when that part has changed. */
export function usePart<T, Part>({ subscribe, getSnapshot }: ReadableStore<T>, choose: (value: T) => Part): Part {
  return useSyncExternalStore(subscribe, () => choose(getSnapshot()));
}
