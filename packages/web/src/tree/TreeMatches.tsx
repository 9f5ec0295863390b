import type { ReactElement } from 'react';
import { count } from '../words/amounts.ts';

/** The number of messages that match a filter. */
export function TreeMatches({ matches, filter }: { matches: number | undefined; filter: string }): ReactElement | null {
  if (matches === undefined) return null;
  return (
    <p className="tree-note" role="status">
      {matches === 0 ? `No message begins with or is named “${filter.trim()}”.` : count(matches, 'message')}
    </p>
  );
}
