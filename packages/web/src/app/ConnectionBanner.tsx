import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { ReplicaStatus } from '@loom/sync';
import { useLoom } from './loom-context.ts';
import { awayWords, backWords, toldFor } from './connection-words.ts';

/** Says that the server is away, if that lasts, and that it is back; what is there can be read and written meanwhile. */
export function ConnectionBanner({ status }: { status: ReplicaStatus }): ReactElement | null {
  const words = useConnectionWords(status === 'offline' || status === 'joining');
  return words === undefined ? null : (
    <div className="banner" role="status">
      {words}
    </div>
  );
}

function useConnectionWords(isAway: boolean): string | undefined {
  const [words, setWords] = useState<string>();
  const { kept } = useLoom();
  useEffect(() => {
    if (!isAway) return undefined;
    const since = Date.now();
    let most = 0;
    const look = (): void => {
      const edits = kept.getSnapshot()?.entries.filter(({ state }) => state !== 'refused').length ?? 0;
      most = Math.max(most, edits);
      setWords(awayWords(since, Date.now(), edits));
    };
    const timer = setInterval(look, 500);
    return () => {
      clearInterval(timer);
      setWords(backWords(since, Date.now(), most));
    };
  }, [isAway, kept]);
  useEffect(() => {
    if (isAway) return undefined;
    const timer = setTimeout(() => setWords(undefined), toldFor);
    return () => clearTimeout(timer);
  }, [isAway, words]);
  return words;
}
