import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import { writeFilter } from '../query.ts';
import type { Query } from '../query.ts';
import { Icon } from '../../ui/Icon.tsx';

interface SearchFieldProps {
  query: Query;
  onWrite: (text: string) => void;
  onChange: (query: Query) => void;
}

/** The words and filters of a search. Filters are typed, too: they become chips once they are complete. */
export function SearchField({ query, onWrite, onChange }: SearchFieldProps): ReactElement {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const drop = (index: number): void => {
    onChange({ ...query, filters: query.filters.filter((_, at) => at !== index) });
    field.current?.focus();
  };
  return (
    <div className="palette-field search-field">
      <Icon name="search" />
      {query.filters.map((filter, index) => (
        <button
          type="button"
          className="token"
          key={writeFilter(filter)}
          aria-label={`Remove the filter ${writeFilter(filter)}`}
          title="Remove this filter"
          onClick={() => drop(index)}
        >
          <i>{filter.name}:</i>
          {filter.value}
          <Icon name="close" small />
        </button>
      ))}
      <input
        ref={field}
        type="search"
        aria-label="Search everything"
        autoComplete="off"
        spellCheck={false}
        placeholder="Words, or /regex/"
        value={query.text}
        onChange={(event) => onWrite(event.target.value)}
        onKeyDown={({ key, currentTarget }) => {
          const isAtStart = currentTarget.selectionStart === 0 && currentTarget.selectionEnd === 0;
          if (key === 'Backspace' && isAtStart && query.filters.length > 0) drop(query.filters.length - 1);
        }}
      />
    </div>
  );
}
