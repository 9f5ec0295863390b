import type { Clock } from '@loom/kernel';

/** Waits for the clock: true once the time has passed, false as soon as the signal aborts. */
export function pause(clock: Clock, milliseconds: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  if (milliseconds <= 0) return Promise.resolve(true);
  return new Promise((resolve) => {
    const onStop = (): void => {
      cancel();
      resolve(false);
    };
    signal.addEventListener('abort', onStop);
    const cancel = clock.after(milliseconds, () => {
      signal.removeEventListener('abort', onStop);
      resolve(true);
    });
  });
}
