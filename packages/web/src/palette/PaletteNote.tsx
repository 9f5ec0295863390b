import type { ReactElement } from 'react';
import { useLate } from '../ui/use-late.ts';
import { count, grouped } from '../words/amounts.ts';
import type { SearchState } from './block-searches.ts';
import { writeFilter } from './query.ts';
import type { Query } from './query.ts';

interface NoteProps {
  query: Query;
  search: SearchState;
  onWithout: () => void;
}

interface StopProps {
  search: SearchState;
  onSearchOn: () => void;
}

/** Says that not everything was looked through, and offers to go on. */
export function PaletteStop({ search, onSearchOn }: StopProps): ReactElement | null {
  const { status, isComplete, searched, next, hits } = search;
  if (isComplete || (status !== 'done' && status !== 'searching')) return null;
  if (next === undefined) {
    return (
      <p className="palette-stop" role="status">
        Some texts can’t be read, or are too long for this expression. They weren’t searched.
      </p>
    );
  }
  return (
    <div className="palette-stop" role="status">
      <span className="grow">
        {hits.length === 0 ? 'Nothing found so far. ' : ''}
        Searched {searched.conversations} of {count(searched.of, 'conversation')}.
      </span>
      <button
        type="button"
        className="button"
        onMouseDown={(event) => event.preventDefault()}
        onClick={onSearchOn}
        disabled={status === 'searching'}
      >
        Search the rest
      </button>
    </div>
  );
}

/** The reason there is no result, and what to do then. */
export function PaletteNote({ query: { filters, text }, search, onWithout }: NoteProps): ReactElement | null {
  const { status, hits, others, problem, isComplete, searched } = search;
  const isVeryLate = useLate(status === 'searching' && hits.length === 0, 2000);
  if (status === 'failed') {
    return (
      <p className="palette-note" role="alert">
        {problem}
      </p>
    );
  }
  if (isVeryLate) {
    return (
      <p className="palette-note" role="status">
        Still searching. Conversations that were just imported take longer the first time.
      </p>
    );
  }
  if (text.trim() === '' && filters.length > 0) return <p className="palette-note">Type what to look for.</p>;
  // Only a complete search shows that there is no match.
  if (status !== 'done' || !isComplete || hits.length > 0 || text.trim() === '') return null;
  return (
    <div className="palette-note" role="status">
      <strong>No block has “{text.trim()}”.</strong>
      <p>{searchedWords(filters, searched.of)}</p>
      {filters.length > 0 && others.length === 0 && (
        <button type="button" className="button" onClick={onWithout}>
          Search without {filters.map(writeFilter).join(' ')}
        </button>
      )}
    </div>
  );
}

function searchedWords(filters: Query['filters'], all: number): string {
  const where = filters.some(({ name }) => name === 'in')
    ? 'this conversation'
    : all === 1
      ? 'the only conversation'
      : `all ${grouped(all)} conversations`;
  return `Searched ${where}, on every branch, ${filters.some(({ name }) => name === 'kind') ? 'for blocks of this kind' : 'including thinking and tools'}.`;
}
