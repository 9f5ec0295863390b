import type { ReactElement, ReactNode } from 'react';

export interface Suggestion {
  readonly key: string;
  readonly content: ReactNode;
}

interface SuggestionsProps {
  id: string;
  label: string;
  items: readonly Suggestion[];
  /** The one that Enter takes. */
  current: number;
  onPick: (index: number) => void;
}

/** The suggestions of the field for its text. The focus stays in the field, which tells assistive technology the current one. */
export function Suggestions({ id, label, items, current, onPick }: SuggestionsProps): ReactElement {
  return (
    <ul id={id} className="suggestions scroll" role="listbox" aria-label={label} tabIndex={0}>
      {items.map(({ key, content }, index) => (
        <li
          key={key}
          id={`${id}-${index}`}
          className="suggestion"
          role="option"
          aria-selected={index === current}
          ref={index === current ? showCurrent : undefined}
          // The field keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onPick(index)}
        >
          {content}
        </li>
      ))}
    </ul>
  );
}

function showCurrent(row: HTMLLIElement | null): void {
  row?.scrollIntoView({ block: 'nearest' });
}
