import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds, sampleOfRun, tellTried } from '@loom/blocks/testing';
import { simulatedFaults } from '@loom/stores/testing';
import { runTrace } from '../testing/files-trace.ts';
import type { TraceOptions } from '../testing/files-trace.ts';
import {
  ignoreFailures,
  replaceBlindly,
  skipDirectorySyncs,
  skipSyncs,
  writeInPlace,
} from '../testing/planted-faults.ts';

// A deep run sets more: one takes about five milliseconds.
const crashPoints = Number(process.env['LOOM_CRASH_POINTS'] ?? 90);

const sampleSeed = 1 + (sampleOfRun() % 100_000);

test('[NW4] cut off at any call, every file is whole, and in the end all are what the log says and every edit is in it once', async (t) => {
  const first = sampleSeed;
  const points = await sweep({}, (at) => ({ crashAt: at }), { enough: crashPoints, first, share: 0.6 });
  tellTried(t, points, `crash points from seed ${first} on`);
});

for (const [name, plant] of Object.entries({ skipSyncs, skipDirectorySyncs, writeInPlace, replaceBlindly })) {
  test(`[NW4] the crashes find a planted fault: ${name}`, async () => {
    await assert.rejects(
      sweep({ plant }, (at) => ({ crashAt: at }), { enough: 300 }),
      assert.AssertionError,
    );
  });
}

for (const [index, fault] of simulatedFaults.entries()) {
  test(`[NW5] whatever call meets ${fault}: it is tried again, and in the end nothing is missing`, async (t) => {
    const how = { enough: crashPoints / 5, first: sampleSeed, share: 1 / (simulatedFaults.length - index) };
    const calls = await sweep({}, (at) => ({ fail: { at, fault } }), how);
    tellTried(t, calls, `calls that meet ${fault} from seed ${sampleSeed} on`);
  });
}

test('[NW5] the failing calls find a planted fault: ignoreFailures', async () => {
  const plan = (at: number): TraceOptions['plan'] => ({ fail: { at, fault: 'EIO' } });
  await assert.rejects(sweep({ plant: ignoreFailures }, plan, { enough: 300 }), assert.AssertionError);
});

/** Runs traces with a plan for about every seventh of their calls, until there were enough. */
async function sweep(
  options: Omit<TraceOptions, 'seed' | 'plan'>,
  planFor: (call: number) => TraceOptions['plan'],
  { enough, first = 1, share = Infinity }: { enough: number; first?: number; share?: number },
): Promise<number> {
  let points = 0;
  for (const round of rounds(() => points >= enough, share)) {
    const seed = first + round - 1;
    const { calls } = await runTrace({ ...options, seed });
    for (let at = 1 + (seed % 7); at <= calls && points < enough; at += 7) {
      points += 1;
      try {
        await runTrace({ ...options, seed, plan: planFor(at) ?? {} });
      } catch (error) {
        if (error instanceof assert.AssertionError) error.message += ` (seed ${seed}, call ${at})`;
        throw error;
      }
    }
  }
  return points;
}
