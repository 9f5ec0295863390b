import type { Ids } from '@loom/kernel';
import { monotonicFactory } from 'ulid';
import { LoomError } from '../command-line/failure.ts';

/**
 * ULIDs in lower case: 26 letters and digits that sort by the time of their making, ten for the millisecond and sixteen random. Within one
 * millisecond, and when the clock is set back, the former id is counted up instead.
 */
export function createSortableIds(now: () => number = Date.now): Ids {
  const next = monotonicFactory();
  return {
    next() {
      const present = now();
      // Ids of one process would be those of the next.
      if (present < 0) throw beforeTime();
      return next(present).toLowerCase();
    },
  };
}

function beforeTime(): LoomError {
  return new LoomError('clock-wrong', 'the clock of this machine says that it is before 1970', {
    advice: 'Set it, then try again: the ids of conversations are made from the time.',
  });
}
