import type { MouseEvent, ReactElement, ReactNode } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { addressOf } from '../app/route.ts';
import type { Place } from '../app/route.ts';

interface PlaceLinkProps {
  place: Place;
  className?: string;
  isCurrent?: boolean;
  /** -1 if keys other than Tab lead to it. */
  tabIndex?: number;
  children: ReactNode;
}

/** A link to a place of the page: a real one, so that it can be opened in another tab. */
export function PlaceLink({ place, className, isCurrent = false, tabIndex, children }: PlaceLinkProps): ReactElement {
  const { go, isNavigatorOpen } = useLoom();
  const follow = (event: MouseEvent): void => {
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return;
    event.preventDefault();
    isNavigatorOpen.set(false);
    go(place);
  };
  return (
    <a
      className={className}
      tabIndex={tabIndex}
      href={addressOf(place)}
      aria-current={isCurrent ? 'page' : undefined}
      onClick={follow}
    >
      {children}
    </a>
  );
}
