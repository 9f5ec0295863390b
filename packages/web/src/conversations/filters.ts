import type { ParamsOf } from '@loom/kernel';

/** The filters of the page of all conversations. */
export interface Filters {
  readonly text: string;
  readonly sources: readonly string[];
  readonly models: readonly string[];
  readonly states: readonly FilteredState[];
  readonly projects: readonly string[];
  readonly time: TimeFilter;
  /** True if archived conversations are listed with the others. */
  readonly withArchived: boolean;
}

/** The states that the menu offers, in its order. */
export const filteredStates = ['running', 'waiting', 'failed', 'done'] as const;
type FilteredState = (typeof filteredStates)[number];

export const times = ['any', 'day', 'week', 'month'] as const;
export type TimeFilter = (typeof times)[number];

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

/** Writes filters for the address: a name and a value for each, as forms do. */
export function writeFilters(filters: Filters): string {
  const { text, sources, models, states, projects, time, withArchived } = filters;
  const words = new URLSearchParams();
  for (const [name, values] of Object.entries({ agent: sources, model: models, state: states, project: projects }))
    for (const value of values) words.append(name, value);
  if (time !== 'any') words.set('date', time);
  if (withArchived) words.set('archived', 'with');
  if (text !== '') words.set('text', text);
  return words.toString();
}

/** Reads filters from an address. What it does not know it leaves out: an address may be of another version, or mistyped. */
export function readFilters(written: string): Filters {
  const words = new URLSearchParams(written);
  const all = (name: string): string[] => [...new Set(words.getAll(name))].slice(0, mostValues);
  const chosen = all('state');
  return {
    text: (words.get('text') ?? '').slice(0, longestText),
    sources: all('agent'),
    models: all('model'),
    states: filteredStates.filter((state) => chosen.includes(state)),
    projects: all('project'),
    time: times.find((time) => time === words.get('date')) ?? 'any',
    withArchived: words.get('archived') === 'with',
  };
}

/** The server takes no more. */
const [mostValues, longestText] = [200, 1000];

/** Returns true if something is filtered. */
export function isFiltered(filters: Filters): boolean {
  return JSON.stringify(filters) !== JSON.stringify(noFilters);
}
