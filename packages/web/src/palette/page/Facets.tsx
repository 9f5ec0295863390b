import { useCallback, useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { ResultOf } from '@loom/kernel';
import { useLoom } from '../../app/loom-context.ts';
import { sourceName } from '../../conversation/who.ts';
import { writeFilter, writeQuery } from '../query.ts';
import type { Filter, FilterName, Query } from '../query.ts';
import { useStore } from '../../stores/use-store.ts';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import { PlaceLink } from '../../ui/PlaceLink.tsx';
import { grouped } from '../../words/amounts.ts';
import type { SavedSearches } from './saved-searches.ts';
import { daysAgo } from './days-ago.ts';

interface FacetsProps {
  query: Query;
  saved: SavedSearches;
  onChange: (query: Query) => void;
}

/** A way to narrow a search. */
interface Choice {
  readonly label: string;
  readonly filter: Filter;
  /** The number of conversations. */
  readonly count?: number;
}

type Counts = NonNullable<ResultOf<'root.list'>['counts']>;

const what: readonly Choice[] = [
  { label: 'Messages', filter: { name: 'kind', value: 'text' } },
  { label: 'Commands and output', filter: { name: 'kind', value: 'command' } },
  { label: 'Results of tools', filter: { name: 'kind', value: 'tool_result' } },
  { label: 'Calls of tools', filter: { name: 'kind', value: 'tool_call' } },
  { label: 'Thinking', filter: { name: 'kind', value: 'thinking' } },
  { label: 'File changes', filter: { name: 'has', value: 'diff' } },
];
const who: readonly Choice[] = [
  { label: 'Said by persons', filter: { name: 'role', value: 'user' } },
  { label: 'Said by models', filter: { name: 'role', value: 'assistant' } },
];
const also: readonly Choice[] = [{ label: 'Only what failed', filter: { name: 'error', value: 'true' } }];
/** The number of values of a filter that are offered. */
const most = 6;

/** The filters of a search, and the searches that were saved. */
export function Facets({ query, saved, onChange }: FacetsProps): ReactElement {
  const loom = useLoom();
  const [counts, setCounts] = useState<Counts>();
  const read = useCallback(async () => {
    const { counts: found } = await loom.ask('root.list', { limit: 1, counts: true, archived: 'with' });
    setCounts(found);
  }, [loom]);
  useEffect(() => loom.attempt(read), [loom, read]);
  const now = Date.now();
  const when: readonly Choice[] = [
    { label: 'Today', filter: { name: 'after', value: 'today' } },
    { label: 'Last 7 days', filter: { name: 'after', value: daysAgo(now, 7) } },
    { label: 'Last 30 days', filter: { name: 'after', value: daysAgo(now, 30) } },
  ];
  const toggle = (filter: Filter): void => {
    const written = writeFilter(filter);
    const isSet = query.filters.some((one) => writeFilter(one) === written);
    // One of a group at a time; typed filters add up.
    const others = query.filters.filter(({ name }) => name !== filter.name);
    onChange({ ...query, filters: isSet ? others : [...others, filter] });
  };
  const groups: readonly { title: string; choices: readonly Choice[] }[] = [
    { title: 'What', choices: what },
    { title: 'Who', choices: who },
    { title: 'Project', choices: projectsOf(counts) },
    { title: 'Program', choices: valuesOf(counts?.source, 'source', sourceName) },
    { title: 'Model', choices: valuesOf(counts?.model, 'model') },
    { title: 'When', choices: when },
    { title: 'Also', choices: also },
  ];
  return (
    <nav className="facets" aria-label="Filters">
      <Saved query={query} saved={saved} />
      {groups.map(
        ({ title, choices }) =>
          choices.length > 0 && (
            <section key={title} className="facet" aria-label={title}>
              <h2>{title}</h2>
              {choices.map(({ label, filter, count }) => (
                <button
                  key={label}
                  type="button"
                  aria-pressed={query.filters.some((one) => writeFilter(one) === writeFilter(filter))}
                  title={writeFilter(filter)}
                  onClick={() => toggle(filter)}
                >
                  <span className="cut grow">{label}</span>
                  {count !== undefined && <span className="figures">{grouped(count)}</span>}
                </button>
              ))}
            </section>
          ),
      )}
    </nav>
  );
}

function projectsOf(counts: Counts | undefined): Choice[] {
  return (counts?.project ?? []).slice(0, most).map(({ value, name, count }) => ({
    label: value === '' ? 'No project' : name,
    filter: { name: 'project', value: value === '' ? 'none' : name },
    count,
  }));
}

function valuesOf(
  values: readonly { value: string; count: number }[] = [],
  name: FilterName,
  labelOf = (value: string): string => value,
): Choice[] {
  return values.slice(0, most).map(({ value, count }) => ({ label: labelOf(value), filter: { name, value }, count }));
}

/** The saved searches, and the way to save this one. */
function Saved({ query, saved }: { query: Query; saved: SavedSearches }): ReactElement {
  const { attempt } = useLoom();
  const queries = useStore(saved.queries);
  const written = writeQuery(query);
  const isKept = queries.includes(written);
  return (
    <section className="facet" aria-label="Saved searches">
      <h2>Saved</h2>
      {queries.map((one) => (
        <span key={one} className="facet-saved">
          <PlaceLink place={{ name: 'search', query: one }} className="cut grow">
            {one}
          </PlaceLink>
          <IconButton
            icon="close"
            label={`Forget the search ${one}`}
            isSmall
            onClick={() => attempt(() => saved.set(one, false))}
          />
        </span>
      ))}
      {written !== '' && !isKept && (
        <button type="button" onClick={() => attempt(() => saved.set(written, true))}>
          <Icon name="plus" small />
          Save this search
        </button>
      )}
    </section>
  );
}
