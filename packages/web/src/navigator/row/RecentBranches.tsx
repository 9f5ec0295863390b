import { useCallback } from 'react';
import type { ReactElement } from 'react';
import type { ListedRoot, ResultOf } from '@loom/kernel';
import { useLoom } from '../../app/loom-context.ts';
import { useStore } from '../../stores/use-store.ts';
import { PlaceLink } from '../../ui/PlaceLink.tsx';
import { useAnswer } from '../../ui/use-answer.ts';
import { shortTime } from '../../words/times.ts';
import { branchName, distinctNames } from './branch-name.ts';

type Leaf = ResultOf<'tree.recent_leaves'>['nodes'][number];

/** The number of branch ends listed. */
const most = 3;

/** The ends of a conversation's branches where something happened last. */
export function RecentBranches({ item, now }: { item: ListedRoot; now: number }): ReactElement | null {
  const { conversation } = useLoom();
  const open = useStore(conversation);
  const leaves = useLeaves(item);
  if (open === undefined || leaves.length === 0) return null;
  return <Branches leaves={leaves} now={now} path={open.path} root={item.id} />;
}

interface BranchesProps {
  leaves: readonly Leaf[];
  now: number;
  path: Parameters<typeof useStore<readonly string[]>>[0];
  root: string;
}

function Branches({ leaves, now, path, root }: BranchesProps): ReactElement {
  const tip = useStore(path).at(-1);
  const names = distinctNames(leaves.map(branchName));
  return (
    <ul className="branches" aria-label="Recent branches">
      {leaves.map((leaf, index) => (
        <li key={leaf.id}>
          <PlaceLink
            place={{ name: 'conversation', root, node: leaf.id }}
            className="branch"
            isCurrent={leaf.id === tip}
          >
            <span className="cut grow">{names[index]}</span>
            <time dateTime={leaf.metadata.timestamp}>{shortTime(Date.parse(leaf.metadata.timestamp), now)}</time>
          </PlaceLink>
        </li>
      ))}
    </ul>
  );
}

/**
 * Loads the ends of branches when others have become the last ones, and when a model has begun or ended to write one; the known ones stay
 * meanwhile.
 */
function useLeaves({ id, leaves, title, bookmarks, running }: ListedRoot): readonly Leaf[] {
  const loom = useLoom();
  const key = JSON.stringify([leaves.slice(0, most), title, bookmarks, running]);
  const read = useCallback(() => loom.ask('tree.recent_leaves', { root: id, limit: most }), [loom, id, key]);
  return useAnswer(read).value?.nodes ?? [];
}
