import type { ReactElement, ReactNode } from 'react';
import { Icon } from '../../ui/Icon.tsx';

interface FoldLineProps {
  className: string;
  isOpen: boolean;
  /** Opens and closes it; without this there is nothing to open. */
  onToggle: (() => void) | undefined;
  children: ReactNode;
}

/** The one line of something that can be opened. */
export function FoldLine({ className, isOpen, onToggle, children }: FoldLineProps): ReactElement {
  if (onToggle === undefined) {
    return (
      <div className={`fold-line ${className}`}>
        <span className="fold-space" />
        {children}
      </div>
    );
  }
  return (
    <button type="button" className={`fold-line ${className}`} aria-expanded={isOpen} onClick={onToggle}>
      <span className="fold-mark">
        <Icon name="right" small />
      </span>
      {children}
    </button>
  );
}
