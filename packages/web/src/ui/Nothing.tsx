import type { ReactElement, ReactNode } from 'react';

/** A place where there is nothing yet: a statement, and what would be here. */
export function Nothing({ title, children }: { title: string; children: ReactNode }): ReactElement {
  return (
    <div className="nothing">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
