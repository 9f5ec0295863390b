import type { ReactElement } from 'react';
import { useConversation } from '../../app/loom-context.ts';
import { useStore } from '../../stores/use-store.ts';
import { later } from '../../ui/later.tsx';
import { longBranch } from './long-branch.ts';

const Rail = later(async () => (await import('./Rail.tsx')).Rail);

/** At the side of a long branch: where persons spoke, where bookmarks are, and where something went wrong. Keys do the same. */
export function MessageRail(): ReactElement | null {
  const overview = useStore(useConversation().overview);
  return overview.path.length > longBranch ? <Rail overview={overview} /> : null;
}
