import { useEffect, useRef, useState } from 'react';
import { describeFailure } from '../words/failures.ts';

/** An answer that is on its way, has come, or did not come. The last known value stays while the next is on its way. */
export interface Asked<T> {
  readonly value: T | undefined;
  readonly failure: string | undefined;
  readonly isAsking: boolean;
}

/** Asks whenever the key has become another one; `undefined` asks nothing. Answers to earlier questions are dropped. */
export function useAsked<T>(key: string | undefined, ask: () => Promise<T>): Asked<T> {
  const [answer, setAnswer] = useState<{ key: string; value?: T; failure?: string }>();
  // The key says everything that the question depends on.
  const latest = useRef(ask);
  useEffect(() => {
    latest.current = ask;
  });
  useEffect(() => {
    if (key === undefined) return undefined;
    let isWanted = true;
    const take = (now: { value?: T; failure?: string }): void => {
      if (isWanted) setAnswer({ key, ...now });
    };
    latest.current().then(
      (value) => take({ value }),
      (error: unknown) => take({ failure: describeFailure(error) }),
    );
    return () => {
      isWanted = false;
    };
  }, [key]);
  const isSame = answer?.key === key;
  return {
    value: key === undefined ? undefined : answer?.value,
    failure: isSame ? answer?.failure : undefined,
    isAsking: key !== undefined && !isSame,
  };
}
