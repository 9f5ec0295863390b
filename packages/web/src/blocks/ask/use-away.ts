import { useEffect, useState } from 'react';
import { usePart } from '../../stores/use-part.ts';
import { clockTime } from '../../words/times.ts';
import { useBlockHost } from '../block-host.ts';

/** The time for which the server may be away before anyone is told, in milliseconds. */
const quiet = 2000;

/** Returns the line that says since when the server is away, or nothing: nobody can decide about what may have changed meanwhile. */
export function useAwayWords(): string | undefined {
  const { connection } = useBlockHost();
  const isAway = usePart(connection(), ({ status }) => status !== 'live');
  const [since, setSince] = useState<number>();
  useEffect(() => {
    if (!isAway) {
      setSince(undefined);
      return undefined;
    }
    const began = Date.now();
    const timer = setTimeout(() => setSince(began), quiet);
    return () => clearTimeout(timer);
  }, [isAway]);
  return since === undefined ? undefined : `No connection since ${clockTime(since)}. You can decide when it is back.`;
}
