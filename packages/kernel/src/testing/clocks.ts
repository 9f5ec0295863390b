import type { Clock } from '../ports.ts';

/** A clock that jumps: every wait is over at once, and `now` says how long it would have taken. */
export function instantClock(): Clock {
  let now = 0;
  return {
    now: () => now,
    after(milliseconds, callback) {
      let isCancelled = false;
      queueMicrotask(() => {
        if (isCancelled) return;
        now += milliseconds;
        callback();
      });
      return () => {
        isCancelled = true;
      };
    },
  };
}

/** A clock that stands still, and knows how many wait for it. */
export function frozenClock(): Clock & { waiting(): number } {
  const waits = new Set<() => void>();
  return {
    now: () => 0,
    after(_milliseconds, callback) {
      waits.add(callback);
      return () => void waits.delete(callback);
    },
    waiting: () => waits.size,
  };
}
