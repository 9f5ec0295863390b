import type { ReactElement, ReactNode } from 'react';

/** A text with a fixed width of letters that can be scrolled, also by keys. */
export function CodeText({ label, children }: { label: string; children: ReactNode }): ReactElement {
  return (
    <pre className="inspector-code scroll" role="region" aria-label={label} tabIndex={0}>
      {children}
    </pre>
  );
}
