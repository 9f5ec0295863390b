import { useEffect, useState } from 'react';
import { describeFailure } from '../words/failures.ts';

/** The answer to a request: on its way, there, or failed with a reason for the reader. */
export interface Answer<T> {
  readonly value?: T;
  readonly failure?: string;
  readonly again: () => void;
}

/** Asks for something, and again when asked to; drops an answer that came too late. The last value stays until the next answer. */
export function useAnswer<T>(read: () => Promise<T>): Answer<T> {
  const [count, setCount] = useState(0);
  const [state, setState] = useState<{ value?: T; failure?: string }>({});
  useEffect(() => {
    let isWanted = true;
    const show = (next: { value?: T; failure?: string }): void => {
      if (isWanted) setState((before) => ('failure' in next ? { ...before, ...next } : next));
    };
    void read().then(
      (value) => show({ value }),
      (error: unknown) => show({ failure: describeFailure(error) }),
    );
    return () => {
      isWanted = false;
    };
  }, [read, count]);
  return { ...state, again: () => setCount((before) => before + 1) };
}
