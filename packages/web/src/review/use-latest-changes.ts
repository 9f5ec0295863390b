import type { OpenConversation } from '../conversation/open-conversation.ts';
import type { Asked } from '../stores/use-asked.ts';
import { useStore } from '../stores/use-store.ts';
import { useMay } from '../work/use-may.ts';
import type { ChangeSet } from './change-set.ts';
import { useChanges } from './use-changes.ts';

/** The changes at the end of the branch on display, and the message that it ends with. */
export interface LatestChanges extends Asked<ChangeSet> {
  /** `undefined` if there is nothing to ask about: no turn, no folder, or no right to. */
  readonly node: string | undefined;
  /** True while a turn is at work that may change more. */
  readonly isRunning: boolean;
  /** True if a turn of Loom is on the branch. */
  readonly hasTurns: boolean;
}

/** Returns what the last turn of the branch on display, or the whole branch, has changed. It is asked for again as the branch grows. */
export function useLatestChanges(conversation: OpenConversation, scope: 'turn' | 'branch'): LatestChanges {
  const path = useStore(conversation.path);
  const { root } = useStore(conversation.watch.whole);
  const mayAsk = useMay('turn.changes') === true;
  // Messages of people belong to no turn.
  const last = path.findLast((id) => conversation.replica.nodes.get(id)?.turn !== undefined);
  // Turns of other programs have no ids: only the branch as a whole is known.
  const end = scope === 'branch' ? (last ?? path.at(-1)) : last;
  const node = mayAsk && root.config['directory'] !== undefined ? end : undefined;
  const isRunning = root.turns.length > 0;
  const asked = useChanges(node === undefined ? undefined : { node, scope }, isRunning ? 'running' : 'over');
  return { ...asked, node, isRunning, hasTurns: last !== undefined };
}
