import { useEffect, useState } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { BlockSearches } from './block-searches.ts';

/** The searches of one opening of the palette; they end with it. */
export function useSearches(): BlockSearches {
  const loom = useLoom();
  const [searches] = useState(
    () =>
      new BlockSearches({
        search: (params, signal) => loom.ask('kernel.search', params, { signal }),
        locate: async (blocks, signal) => (await loom.ask('block.locate', { blocks: [...blocks] }, { signal })).places,
        here: () => loom.conversation.getSnapshot()?.root,
        now: () => Date.now(),
        after(milliseconds, callback) {
          const timer = setTimeout(callback, milliseconds);
          return () => clearTimeout(timer);
        },
      }),
  );
  useEffect(() => () => searches.stop(), [searches]);
  return searches;
}
