import type { TestContext } from 'node:test';
import { runs } from './corpus.ts';

/**
 * The number that chooses samples, where trying everything belongs to the deep run. `npm test` sets it from the commit, so that each commit tries others,
 * and prints it: `LOOM_SAMPLE=<number>` tries the same again.
 */
export function sampleOfRun(): number {
  return Number(process.env['LOOM_SAMPLE'] ?? 0);
}

/** One in so many of these, others for each commit; in the deep run all of them. */
export function sampled<T>(all: readonly T[], oneIn: number): T[] {
  const step = runs(oneIn, 1);
  return all.filter((_, index) => (index + sampleOfRun()) % step === 0);
}

/**
 * Numbers from 1 while there is more to try. The deep run gives each of its parts a time: when the share of it is over, a test stops between two rounds,
 * but it does one round at least. In every run the clock does not count.
 */
export function* rounds(isEnough: (done: number) => boolean, share = 1): Generator<number> {
  const end = endOfShare(share);
  for (let round = 1; !isEnough(round - 1) && (round === 1 || Date.now() < end); round += 1) yield round;
}

/**
 * Returns the end of a share of the time that the deep run leaves to this part (`LOOM_UNTIL`), in milliseconds since 1970;
 * in every run, and of an infinite share, never.
 */
export function endOfShare(share = 1): number {
  const end = Number(process.env['LOOM_UNTIL'] ?? Infinity);
  return end === Infinity || share === Infinity ? Infinity : Date.now() + Math.max(0, end - Date.now()) * share;
}

/** Says how often a promise was tried; the deep run adds it up. */
export function tellTried(t: TestContext, count: number, what: string): void {
  t.diagnostic(`tried ${count} ${what}`);
}
