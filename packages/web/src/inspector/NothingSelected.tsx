import type { ReactElement } from 'react';

/** The text of a tab while there is no block. */
export function NothingSelected(): ReactElement {
  return <p className="inspector-empty">There is no message yet. What you write appears here.</p>;
}
