import type { ReadableStore } from '../stores/store.ts';

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now();

/** The time, second by second; it stands still while it is not watched. */
export const ticking: ReadableStore<number> = {
  getSnapshot: () => now,
  subscribe(listener) {
    listeners.add(listener);
    timer ??= setInterval(tick, 1000);
    return () => {
      listeners.delete(listener);
      if (listeners.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  },
};

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}
