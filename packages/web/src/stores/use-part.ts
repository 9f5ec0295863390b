import { useSyncExternalStore } from 'react';
import type { ReadableStore } from './store.ts';

/** A part of what a store holds: only when that has become something else, the component is drawn again. */
export function usePart<T, Part>({ subscribe, getSnapshot }: ReadableStore<T>, choose: (value: T) => Part): Part {
  return useSyncExternalStore(subscribe, () => choose(getSnapshot()));
}
