import { useCallback, useEffect, useState } from 'react';
import type { ListedRoot } from '@loom/kernel';
import { useLoom } from '../app/loom-context.ts';
import type { NavigatorGroup } from './navigator-rows.ts';
import type { ProjectView } from './project-list.ts';

/** The most conversations of one group in the navigator; the page of all conversations has no end. */
const mostShown = 500;

interface WholeGroups {
  /** All conversations of the groups that were asked for, by the ids of the groups. */
  readonly whole: ReadonlyMap<string, readonly ListedRoot[]>;
  readonly showWhole: (group: NavigatorGroup) => void;
}

/** Reads all conversations of the groups that the reader wants to see as a whole, again whenever the list has changed. */
export function useWholeGroups(view: ProjectView): WholeGroups {
  const { ask, attempt } = useLoom();
  const [wanted, setWanted] = useState<readonly NavigatorGroup[]>([]);
  const [whole, setWhole] = useState<ReadonlyMap<string, readonly ListedRoot[]>>(new Map());
  useEffect(() => {
    let isOld = false;
    const read = async (): Promise<void> => {
      const answers = await Promise.all(
        wanted.map(async ({ id, kind }) => {
          const which = kind === 'archived' ? { archived: 'only' as const } : { project: id };
          const { items } = await ask('root.list', { ...which, children: false, limit: mostShown, text: '' });
          return [id, items] as const;
        }),
      );
      if (!isOld) setWhole(new Map(answers));
    };
    if (wanted.length > 0) attempt(read);
    return () => {
      isOld = true;
    };
  }, [wanted, view, ask, attempt]);
  const showWhole = useCallback(
    (group: NavigatorGroup) => setWanted((before) => [...before.filter(({ id }) => id !== group.id), group]),
    [],
  );
  return { whole, showWhole };
}
