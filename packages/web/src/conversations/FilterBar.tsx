import type { ReactElement } from 'react';
import { sourceName } from '../conversation/who.ts';
import { GroupMark } from '../navigator/row/StateMark.tsx';
import { Icon } from '../ui/Icon.tsx';
import { FilterMenu } from './FilterMenu.tsx';
import { filteredStates, groupingNames, timeNames, times } from './filters.ts';
import type { Filters, Grouping } from './filters.ts';
import type { Counts } from './use-conversations.ts';

interface FilterBarProps {
  filters: Filters;
  grouping: Grouping;
  counts: Counts | undefined;
  onFilter: (filters: Filters) => void;
  onGroup: (grouping: Grouping) => void;
}

const stateNames = { running: 'Running', waiting: 'Needs you', failed: 'Failed', done: 'Done' } as const;

/** The filters of the page, with the number of conversations that each value would show. */
export function FilterBar({ filters, grouping, counts, onFilter, onGroup }: FilterBarProps): ReactElement {
  const set = (change: Partial<Filters>): void => onFilter({ ...filters, ...change });
  const countOf = (values: readonly { value: string; count: number }[] = [], value: string): number =>
    values.find((each) => each.value === value)?.count ?? 0;
  const known = (values: readonly { value: string; count: number }[] = [], chosen: readonly string[]) => [
    ...values,
    ...chosen.filter((value) => !values.some((each) => each.value === value)).map((value) => ({ value, count: 0 })),
  ];
  return (
    <div className="filter-bar" role="group" aria-label="Filters">
      <div className="field filter-text">
        <Icon name="search" />
        <input
          aria-label="Search in titles and first lines"
          placeholder="Search in titles and first lines"
          data-filter-text
          value={filters.text}
          onChange={({ target }) => set({ text: target.value })}
        />
      </div>
      <FilterMenu
        label="Agent"
        chosen={filters.sources}
        choices={known(counts?.source, filters.sources).map(({ value, count }) => ({
          value,
          count,
          name: value === 'loom' ? 'Loom' : sourceName(value),
        }))}
        onChoose={(sources) => set({ sources })}
      />
      <FilterMenu
        label="Model"
        chosen={filters.models}
        choices={known(counts?.model, filters.models).map(({ value, count }) => ({ value, count, name: value }))}
        onChoose={(models) => set({ models })}
      />
      <FilterMenu
        label="State"
        chosen={[...filters.states, ...(filters.withArchived ? ['archived'] : [])]}
        choices={[
          ...filteredStates.map((value) => ({
            value,
            name: stateNames[value],
            count: countOf(counts?.state, value),
            mark: <GroupMark state={value} words="" />,
          })),
          { value: 'archived', name: 'Archived too', count: counts?.archived ?? 0 },
        ]}
        onChoose={(values) =>
          set({
            states: filteredStates.filter((value) => values.includes(value)),
            withArchived: values.includes('archived'),
          })
        }
      />
      <FilterMenu
        label="Project"
        chosen={filters.projects}
        choices={(counts?.project ?? []).map(({ value, name, count }) => ({
          value,
          count,
          name: value === '' ? 'No project' : name,
        }))}
        onChoose={(projects) => set({ projects })}
      />
      <FilterMenu
        label="Date"
        isSingle
        chosen={filters.time === 'any' ? [] : [filters.time]}
        choices={times.map((value) => ({ value, name: timeNames[value] }))}
        onChoose={([value]) => set({ time: times.find((time) => time === value) ?? 'any' })}
      />
      <span className="grow hide-narrow" />
      <FilterMenu
        label="Grouping"
        isSingle
        isFilter={false}
        chosen={[grouping]}
        choices={groupings.map((value) => ({ value, name: groupingNames[value] }))}
        onChoose={([value]) => onGroup(groupings.find((by) => by === value) ?? 'project')}
      />
    </div>
  );
}

const groupings: readonly Grouping[] = ['project', 'date', 'cost'];
