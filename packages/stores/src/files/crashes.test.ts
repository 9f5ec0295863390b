import assert from 'node:assert/strict';
import { test } from 'node:test';
import { endOfShare, rounds, runs, sampleOfRun, tellTried } from '@loom/blocks/testing';
import { StoreError } from '@loom/kernel/store';
import type { SimulatedFault } from '../testing/simulated-files.ts';
import { simulatedFaults } from '../testing/simulated-files.ts';
import {
  acceptTornWrites,
  noteBeforeSync,
  retrySyncs,
  skipDirectorySyncs,
  skipSyncs,
} from './testing/planted-faults.ts';
import type { TraceOptions } from './testing/store-trace.ts';
import { runTrace } from './testing/store-trace.ts';

// A deep run sets more: one takes a millisecond or two.
const crashPoints = Number(process.env['LOOM_CRASH_POINTS'] ?? 2400);

/** The distance between the calls of a trace at which it is cut off, others for each commit: many traces show more than all calls of a few. */
const stride = runs(3, 1);
const firstSeed = 1 + (sampleOfRun() % 100_000);

test('[FS7] [FS8] [FS20] cut off at any call, everything acknowledged is there, whole, and nothing else', async (t) => {
  let points = 0;
  const end = endOfShare(0.6);
  for (const round of rounds(() => points >= crashPoints, 0.6)) {
    points += await crashEverywhere({ seed: firstSeed + round - 1 }, stride, end);
  }
  tellTried(t, points, `crash points from seed ${firstSeed} on`);
});

for (const [name, plant] of Object.entries({ skipSyncs, skipDirectorySyncs, acceptTornWrites, noteBeforeSync })) {
  test(`[FS7] [FS20] the crashes find a planted fault: ${name}`, async () => {
    const run = async (): Promise<void> => {
      for (let seed = 1; seed <= 30; seed += 1) await crashEverywhere({ seed, plant });
    };
    await assert.rejects(run, isFinding);
  });
}

for (const [index, fault] of simulatedFaults.entries()) {
  test(`[FS9] whatever call meets ${fault}: nothing that was acknowledged suffers, and everything after it goes on`, async (t) => {
    let [points, failures] = [0, 0];
    const enough = Math.min(crashPoints, 2500) / 25;
    const share = 1 / (simulatedFaults.length - index);
    const end = endOfShare(share);
    for (const round of rounds(() => points >= enough, share)) {
      const [failed, works] = await failEverywhere({ seed: firstSeed + round - 1 }, fault, end);
      points += failed;
      failures += works;
    }
    // A short write is completed, and no reader notices.
    assert.ok(fault === 'short' ? failures === 0 : failures > points / 4);
    tellTried(t, points, `calls that meet ${fault} from seed ${firstSeed} on, ${failures} failed works`);
  });
}

test('[FS9] [FS10] the failing calls find a planted fault: retrySyncs', async () => {
  const run = async (): Promise<void> => {
    for (let seed = 1; seed <= 10; seed += 1) await failEverywhere({ seed, plant: retrySyncs }, 'EIO');
  };
  await assert.rejects(run, isFinding);
});

/** Returns true if something is missing, too much, or unreadable. */
function isFinding(error: unknown): boolean {
  return error instanceof assert.AssertionError || (error instanceof StoreError && error.code === 'store-corrupt');
}

/** One run for each call that the trace makes, which fails. */
async function failEverywhere(
  options: TraceOptions,
  fault: SimulatedFault,
  end = Infinity,
): Promise<[points: number, failures: number]> {
  const { calls } = await runTrace(options);
  let [points, failures] = [0, 0];
  // If time is short, a few calls are spread over all of the trace.
  const step = end === Infinity ? 1 : Math.max(1, Math.floor(calls / leastPoints));
  for (let first = 1; first <= step; first += 1) {
    for (let at = first; at <= calls; at += step) {
      points += 1;
      failures += (await runTrace({ ...options, plan: { fail: { at, fault } } })).failures;
    }
    if (Date.now() > end) break;
  }
  return [points, failures];
}

/** So many are tried of a trace when the time is over before it begins. */
const leastPoints = 50;

/** One run for each call that the trace makes, or for one in so many of them, which ends there. */
async function crashEverywhere(options: TraceOptions, every = 1, end = Infinity): Promise<number> {
  const { calls } = await runTrace(options);
  const first = 1 + (options.seed % every);
  let points = 0;
  for (let crashAt = first; crashAt <= calls && (points < leastPoints || Date.now() < end); crashAt += every) {
    points += 1;
    try {
      await runTrace({ ...options, plan: { crashAt } });
    } catch (error) {
      if (error instanceof assert.AssertionError) error.message += ` (seed ${options.seed}, crash at call ${crashAt})`;
      throw error;
    }
  }
  return points;
}
