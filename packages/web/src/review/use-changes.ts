import { Store } from '../stores/store.ts';
import { useAsked } from '../stores/use-asked.ts';
import type { Asked } from '../stores/use-asked.ts';
import { useStore } from '../stores/use-store.ts';
import { useWorkHost } from '../work/work-host.ts';
import { changeSet, rootOf } from './change-set.ts';
import type { ChangeScope, ChangeSet } from './change-set.ts';

/** The number of undos and redos made here: what is shown of changes is asked for again after each. */
const undone = new Store(0);

export function noteUndone(): void {
  undone.update((count) => count + 1);
}

/** Returns the changes to files of a turn or a branch. `version` says that more may have come. Without a place nothing is asked. */
export function useChanges(place: ChangeScope | undefined, version: string): Asked<ChangeSet> {
  const { ask } = useWorkHost();
  const count = useStore(undone);
  const { node = '', scope } = place ?? {};
  return useAsked(place === undefined ? undefined : `${node} ${scope} ${version} ${count}`, async () =>
    changeSet.parse(await ask('turn.changes', { root: rootOf(node), node, scope })),
  );
}
