import assert from 'node:assert/strict';
import { test } from 'node:test';
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

test('[NW4] cut off at any call, every file is whole, and in the end all are what the log says and every edit is in it once', async (t) => {
  t.diagnostic(`${await sweep({}, (at) => ({ crashAt: at }), crashPoints)} crash points`);
});

for (const [name, plant] of Object.entries({ skipSyncs, skipDirectorySyncs, writeInPlace, replaceBlindly })) {
  test(`[NW4] the crashes find a planted fault: ${name}`, async () => {
    await assert.rejects(
      sweep({ plant }, (at) => ({ crashAt: at }), 300),
      assert.AssertionError,
    );
  });
}

for (const fault of simulatedFaults) {
  test(`[NW5] whatever call meets ${fault}: it is tried again, and in the end nothing is missing`, async (t) => {
    t.diagnostic(`${await sweep({}, (at) => ({ fail: { at, fault } }), crashPoints / 5)} failed calls`);
  });
}

test('[NW5] the failing calls find a planted fault: ignoreFailures', async () => {
  const plan = (at: number): TraceOptions['plan'] => ({ fail: { at, fault: 'EIO' } });
  await assert.rejects(sweep({ plant: ignoreFailures }, plan, 300), assert.AssertionError);
});

/** Runs traces with a plan for about every seventh of their calls, until there were enough. */
async function sweep(
  options: Omit<TraceOptions, 'seed' | 'plan'>,
  planFor: (call: number) => TraceOptions['plan'],
  enough: number,
): Promise<number> {
  let points = 0;
  for (let seed = 1; points < enough; seed += 1) {
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
