import { useCallback, useEffect, useRef, useState } from 'react';
import type { ListedRoot, ResultOf } from '@loom/kernel';
import { useConversationsHost } from './conversations-host.ts';
import type { ListedProject } from '../navigator/project-list.ts';
import { useStore } from '../stores/use-store.ts';
import { paramsOf } from './filters.ts';
import type { Filters, Grouping } from './filters.ts';

export type Counts = NonNullable<ResultOf<'root.list'>['counts']>;

/** The conversations of the page as the server lists them. */
export interface Listed {
  readonly counts: Counts | undefined;
  readonly projects: readonly ListedProject[];
  readonly items: readonly ListedRoot[];
  readonly next: string | undefined;
  readonly whole: ReadonlyMap<string, readonly ListedRoot[]>;
}

/** The number of rows of a project at first, and of a flat list in one answer: three screens, as more take longer than 100 ms. */
const [firstOfGroup, pageSize] = [8, 100];
const nothing: Listed = { counts: undefined, projects: [], items: [], next: undefined, whole: new Map() };

interface Conversations {
  readonly listed: Listed;
  readonly showWhole: (project: string) => void;
  readonly more: () => void;
  /** Returns all conversations that the filters let through. */
  readonly allIds: () => Promise<readonly string[]>;
}

/** Reads the conversations that filters let through, again whenever the list of conversations has changed. */
export function useConversations(filters: Filters, grouping: Grouping): Conversations {
  const { ask, attempt, projects } = useConversationsHost();
  const view = useStore(projects.view);
  const [listed, setListed] = useState<Listed>(nothing);
  const [wanted, setWanted] = useState<ReadonlySet<string>>(new Set());
  const loaded = useRef(pageSize);
  const isReading = useRef(false);
  useEffect(() => {
    let isOld = false;
    const params = paramsOf(filters, Date.now());
    const read = async (): Promise<void> => {
      const order = grouping === 'cost' ? ('cost' as const) : ('newest' as const);
      const isFlat = grouping !== 'project';
      const [flat, grouped, groups] = await Promise.all([
        isFlat ? ask('root.list', { ...params, order, counts: true, limit: loaded.current }) : undefined,
        isFlat ? undefined : ask('project.list', { ...params, first: firstOfGroup, counts: true, limit: 1000 }),
        isFlat
          ? []
          : Promise.all(
              [...wanted].map(async (project) => {
                const { items } = await ask('root.list', { ...params, project, limit: 10_000 });
                return [project, items] as const;
              }),
            ),
      ]);
      if (isOld) return;
      setListed({
        counts: flat?.counts ?? grouped?.counts,
        projects: grouped?.items ?? [],
        items: flat?.items ?? [],
        next: flat?.next,
        whole: new Map(groups),
      });
    };
    attempt(read);
    return () => {
      isOld = true;
    };
  }, [filters, grouping, wanted, view, ask, attempt]);
  const more = useCallback(() => {
    const { next } = listed;
    if (next === undefined || isReading.current) return;
    isReading.current = true;
    attempt(async () => {
      try {
        const order = grouping === 'cost' ? ('cost' as const) : ('newest' as const);
        const page = await ask('root.list', { ...paramsOf(filters, Date.now()), order, limit: pageSize, after: next });
        loaded.current = Math.min(10_000, loaded.current + pageSize);
        setListed((now) =>
          now.next === next ? { ...now, items: [...now.items, ...page.items], next: page.next } : now,
        );
      } finally {
        isReading.current = false;
      }
    });
  }, [listed, filters, grouping, ask, attempt]);
  return {
    listed,
    more,
    showWhole: useCallback((project) => setWanted((before) => new Set([...before, project])), []),
    allIds: useCallback(
      async () => (await ask('root.list', { ...paramsOf(filters, Date.now()), ids: true })).ids ?? [],
      [filters, ask],
    ),
  };
}
