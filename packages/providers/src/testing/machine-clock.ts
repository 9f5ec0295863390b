import type { Clock } from '@loom/kernel';

/** The time of the machine, for tests that speak through sockets. */
export const machineClock: Clock = {
  now: Date.now,
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds);
    return () => clearTimeout(timer);
  },
};
