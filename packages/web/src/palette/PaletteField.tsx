import type { KeyboardEvent, ReactElement, RefObject } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { useLate } from '../ui/use-late.ts';
import { count } from '../words/amounts.ts';
import { duration } from '../words/times.ts';
import type { SearchState } from './block-searches.ts';
import { optionId } from './option-id.ts';
import { writeFilter } from './query.ts';
import type { Filter, Query } from './query.ts';

interface FieldProps {
  field: RefObject<HTMLInputElement | null>;
  query: Query;
  search: SearchState;
  listId: string;
  currentKey: string | undefined;
  onWrite: (text: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  onDrop: (filter: Filter) => void;
}

export function PaletteField(props: FieldProps): ReactElement {
  const { field, query, search, listId, currentKey, onWrite, onKeyDown, onDrop } = props;
  const isSlow = useLate(search.status === 'searching', 400);
  return (
    <div className="palette-field">
      <Icon name="search" />
      {query.filters.map((filter) => (
        <button
          type="button"
          className="token"
          key={writeFilter(filter)}
          aria-label={`Remove the filter ${writeFilter(filter)}`}
          title="Remove this filter"
          onClick={() => {
            onDrop(filter);
            field.current?.focus();
          }}
        >
          <i>{filter.name}:</i>
          {filter.name === 'in' ? 'this conversation' : filter.value}
        </button>
      ))}
      <input
        ref={field}
        role="combobox"
        aria-label="Search everything"
        aria-expanded="true"
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={currentKey === undefined ? undefined : optionId(listId, currentKey)}
        autoComplete="off"
        spellCheck={false}
        placeholder={query.filters.length === 0 ? 'Search, or do something' : 'Words, or /regex/'}
        value={query.text}
        onChange={(event) => onWrite(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span className="palette-count figures" role="status">
        {isSlow ? <span className="mark mark-model mark-running" title="Searching" /> : countWords(search)}
      </span>
    </div>
  );
}

function searchTime(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : duration(milliseconds);
}

function countWords({ status, hits, counts, isComplete, milliseconds }: SearchState): string {
  if (status !== 'done' && status !== 'searching') return '';
  if (milliseconds === undefined || hits.length === 0) return '';
  const all = [...counts.values()].reduce((sum, own) => sum + own, 0);
  return `${count(all, 'block')} in ${count(counts.size, 'conversation')}${isComplete ? '' : ' so far'} · ${searchTime(milliseconds)}`;
}
