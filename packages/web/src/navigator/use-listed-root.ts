import { useSyncExternalStore } from 'react';
import type { ListedRoot } from '@loom/kernel';
import { useLoom } from '../app/loom-context.ts';

/** A conversation as the list has it, if it is among those that are loaded. */
export function useListedRoot(root: string): ListedRoot | undefined {
  const { list } = useLoom();
  return useSyncExternalStore(list.subscribe, () => list.getSnapshot().items.find(({ id }) => id === root));
}
