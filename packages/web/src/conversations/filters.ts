import type { ParamsOf } from '@loom/kernel';

/** The filters of the page of all conversations. */
export interface Filters {
  readonly text: string;
  readonly sources: readonly string[];
  readonly models: readonly string[];
  readonly states: readonly ('waiting' | 'running' | 'failed' | 'done')[];
  readonly projects: readonly string[];
  readonly time: TimeFilter;
  /** True if archived conversations are listed with the others. */
  readonly withArchived: boolean;
}

export type TimeFilter = 'any' | 'day' | 'week' | 'month';

/** The grouping of the page: the cost sorts a flat list. */
export type Grouping = 'project' | 'date' | 'cost';

export const noFilters: Filters = {
  text: '',
  sources: [],
  models: [],
  states: [],
  projects: [],
  time: 'any',
  withArchived: false,
};

export const timeNames: { readonly [Time in TimeFilter]: string } = {
  any: 'Any time',
  day: 'Active today',
  week: 'Active in 7 days',
  month: 'Active in 30 days',
};

export const groupingNames: { readonly [By in Grouping]: string } = {
  project: 'By project',
  date: 'By date',
  cost: 'By cost',
};

type ListParams = ParamsOf<'root.list'>;

/** Returns the parameters of `root.list` and `project.list` for filters. */
export function paramsOf(filters: Filters, now: number): ListParams {
  const { text, sources, models, states, projects, time, withArchived } = filters;
  const since = sinceOf(time, now);
  return {
    children: false,
    text,
    ...(sources.length === 0 ? {} : { source: [...sources] }),
    ...(models.length === 0 ? {} : { model: [...models] }),
    ...(states.length === 0 ? {} : { state: [...states] }),
    ...(projects.length === 0 ? {} : { project: [...projects] }),
    ...(since === undefined ? {} : { since: new Date(since).toISOString() }),
    ...(withArchived ? { archived: 'with' as const } : {}),
  };
}

const day = 24 * 60 * 60_000;

/** Days begin at the reader's midnight. */
function sinceOf(time: TimeFilter, now: number): number | undefined {
  if (time === 'any') return undefined;
  const today = new Date(now).setHours(0, 0, 0, 0);
  return time === 'day' ? today : today - (time === 'week' ? 6 : 29) * day;
}

/** Returns true if something is filtered. */
export function isFiltered(filters: Filters): boolean {
  return JSON.stringify(filters) !== JSON.stringify(noFilters);
}
