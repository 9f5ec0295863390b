import type { ReactElement } from 'react';

/** `+3 −3` */
export function LineCounts({ added, deleted }: { added: number; deleted: number }): ReactElement {
  return (
    <span className="line-counts">
      {added > 0 && <span className="line-added">+{added}</span>}
      {deleted > 0 && <span className="line-deleted">−{deleted}</span>}
    </span>
  );
}
