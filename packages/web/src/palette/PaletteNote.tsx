import type { ReactElement } from 'react';
import type { SearchState } from './block-searches.ts';
import { writeFilter } from './query.ts';
import type { Query } from './query.ts';

interface NoteProps {
  query: Query;
  search: SearchState;
  onWithout: () => void;
}

/** Why there is no result, and what to do then. */
export function PaletteNote({ query: { filters, text }, search, onWithout }: NoteProps): ReactElement | null {
  const { status, hits, others, problem } = search;
  if (status === 'failed') {
    return (
      <p className="palette-note" role="alert">
        {problem}
      </p>
    );
  }
  if (text.trim() === '' && filters.length > 0) return <p className="palette-note">Type what to look for.</p>;
  if (status !== 'done' || hits.length > 0 || text.trim() === '') return null;
  return (
    <div className="palette-note" role="status">
      <strong>No block matches “{text.trim()}”.</strong>
      <p>All conversations were looked through, on all branches, with thinking and tools.</p>
      {filters.length > 0 && others.length === 0 && (
        <button type="button" className="button" onClick={onWithout}>
          Search without {filters.map(writeFilter).join(' ')}
        </button>
      )}
    </div>
  );
}
