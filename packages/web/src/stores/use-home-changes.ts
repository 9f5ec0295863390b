import { useEffect, useRef } from 'react';
import { whenHomeChanges } from './home-changes.ts';

/** Calls back when entries of a home may have changed, as long as the component is shown. */
export function useHomeChanges(prefix: string, again: () => void): void {
  const latest = useRef(again);
  useEffect(() => {
    latest.current = again;
  });
  useEffect(() => whenHomeChanges(prefix, () => latest.current()), [prefix]);
}
