import type { ReactElement, RefObject } from 'react';
import { Icon } from '../ui/Icon.tsx';
import type { IconName } from '../ui/Icon.tsx';

interface TreeFilterProps {
  field: RefObject<HTMLInputElement | null>;
  /** The target of Enter. */
  list: RefObject<HTMLElement | null>;
  icon: IconName;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
}

/** The filter for the lines of a tree. */
export function TreeFilter({ field, list, icon, placeholder, value, onChange }: TreeFilterProps): ReactElement {
  return (
    <label className="field tree-filter">
      <Icon name={icon} />
      <input
        ref={field}
        type="search"
        aria-label="Filter the tree"
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' && event.key !== 'Enter' && event.key !== 'ArrowDown') return;
          event.preventDefault();
          if (event.key === 'Escape') onChange('');
          list.current?.focus();
        }}
      />
      <kbd>/</kbd>
    </label>
  );
}
