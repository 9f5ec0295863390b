import type { ReactElement } from 'react';
import { useConversation } from '../../app/loom-context.ts';
import { useStore } from '../../stores/use-store.ts';
import { later } from '../../ui/later.tsx';
import { longBranch } from './long-branch.ts';

const Rail = later(async () => (await import('./Rail.tsx')).Rail);

/** The rail at the side of a long branch: the messages of persons, bookmarks, and errors. Keys do the same. */
export function MessageRail(): ReactElement | null {
  const overview = useStore(useConversation().overview);
  return overview.path.length > longBranch ? <Rail overview={overview} /> : null;
}
