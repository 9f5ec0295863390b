import { keptStore } from '../../stores/kept-store.ts';
import type { Store } from '../../stores/store.ts';

/** True while the reader wants to see no carets of others. */
export const isQuiet: Store<boolean> = keptStore<boolean>(localStorage, 'loom-quiet', {
  read: (value) => (typeof value === 'boolean' ? value : undefined),
  otherwise: false,
});
