import { useEffect, useState } from 'react';
import type { ReadableStore } from './store.ts';

/** The time after which a value that never rests is read all the same, in milliseconds. */
const longest = 2000;

/**
 * Returns the value of a store as it was when it last rested. Unlike with `useSettled`, the component is not drawn again for each
 * change in between.
 */
export function useRested<T>({ subscribe, getSnapshot }: ReadableStore<T>, milliseconds: number): T {
  const [value, setValue] = useState(getSnapshot);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let since: number | undefined;
    const read = (): void => {
      since = undefined;
      setValue(getSnapshot);
    };
    const note = (): void => {
      const now = performance.now();
      since ??= now;
      clearTimeout(timer);
      timer = setTimeout(read, Math.min(milliseconds, since + longest - now));
    };
    const stop = subscribe(note);
    // It may have changed since it was drawn.
    note();
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [subscribe, getSnapshot, milliseconds]);
  return value;
}
