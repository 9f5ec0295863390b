import type { MouseEvent, ReactElement, ReactNode } from 'react';

/** The mark of a footnote in a text; it leads to the footnote. */
export function FootnoteMark({ label }: { label: string }): ReactElement {
  return (
    <sup>
      <button
        type="button"
        className="footnote-mark"
        data-mark={label}
        aria-label={`Footnote ${label}`}
        onClick={(event) => goTo(event, `[data-footnote="${CSS.escape(label)}"]`)}
      >
        {label}
      </button>
    </sup>
  );
}

/** A footnote where it was written, with the way back to its mark. */
export function Footnote({ label, children }: { label: string; children: ReactNode }): ReactElement {
  return (
    <p className="footnote" data-footnote={label} tabIndex={-1}>
      <button
        type="button"
        className="footnote-mark"
        aria-label={`Back to the mark of footnote ${label}`}
        onClick={(event) => goTo(event, `[data-mark="${CSS.escape(label)}"]`)}
      >
        {label}
      </button>{' '}
      {children}
    </p>
  );
}

function goTo({ currentTarget }: MouseEvent, selector: string): void {
  const target = currentTarget.closest('.prose')?.querySelector<HTMLElement>(selector);
  target?.scrollIntoView({ block: 'nearest' });
  target?.focus({ preventScroll: true });
}
