import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import type { ReplicaStatus } from '@loom/sync';
import { useLoom } from './loom-context.ts';
import { awayWords, backWords, toldFor, tryingWords } from './connection-words.ts';
import { Icon } from '../ui/Icon.tsx';

/** Says that the server is away, if that lasts, and that it is back; the loaded messages can be read and written meanwhile. */
export function ConnectionBanner({ status }: { status: ReplicaStatus }): ReactElement | null {
  const [wasThere, setWasThere] = useState(false);
  if (status === 'live' && !wasThere) setWasThere(true);
  // A conversation that is opened is joined for the first time: nothing was lost, and there is nothing to come back to.
  const isAway = status === 'offline' || (status === 'joining' && wasThere);
  const words = useConnectionWords(isAway);
  return words === undefined ? null : <Banner words={words} tone={toneOf(words, isAway)} />;
}

type Tone = 'trying' | 'offline' | 'back';

function toneOf(words: string, isAway: boolean): Tone {
  if (!isAway) return 'back';
  return words === tryingWords ? 'trying' : 'offline';
}

/** One line over the content, which stays where it is. */
export function Banner({ words, tone }: { words: string; tone: Tone }): ReactElement {
  return (
    <div className={tone === 'offline' ? 'banner banner-offline' : 'banner'} role="status">
      {tone === 'trying' ? (
        <span className="mark mark-model mark-running" />
      ) : (
        <Icon name={tone === 'offline' ? 'warning' : 'check'} small />
      )}
      <span>{words}</span>
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
