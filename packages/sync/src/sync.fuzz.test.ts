import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds, tellTried } from '@loom/blocks/testing';
import {
  applyingTwice,
  forgettingAfterResync,
  forgettingWhatWasLeft,
  keepingOldDocuments,
  keepingOldNodes,
  losingOutlines,
  misplacingSplices,
  reinstatingNothing,
  repeatingUnderOtherIds,
  sendingWhatWasTakenBack,
  skippingInTheRing,
  takingBackWhatWasSent,
} from './testing/planted-fault.ts';
import type { PlantedFault } from './testing/planted-fault.ts';
import { runTrace } from './testing/sync-trace.ts';
import { runUndoTrace } from './testing/undo-trace.ts';

const seeds = 120;
/** More in the deep run. */
const traces = Number(process.env['LOOM_SYNC_TRACES'] ?? seeds);

/** Seeds that once found a defect: typing that two clients had left was merged twice (1012). */
const regressionSeeds = [1012];

test('[SY26] after everything has arrived all replicas have what the kernel has, and what was typed is there once', async (t) => {
  let tried = 0;
  for (const round of rounds((done) => done >= traces + regressionSeeds.length, 0.5)) {
    const seed = regressionSeeds[round - 1] ?? round - 1 - regressionSeeds.length;
    assert.equal(await runTrace(seed), undefined, `seed ${seed}`);
    tried = round;
  }
  tellTried(t, tried, 'traces of typing');
});

const faults = {
  forgettingAfterResync,
  skippingInTheRing,
  keepingOldNodes,
  losingOutlines,
  applyingTwice,
  keepingOldDocuments,
  repeatingUnderOtherIds,
  forgettingWhatWasLeft,
  misplacingSplices,
};

for (const [name, withFault] of Object.entries(faults)) {
  test(`[SY27] the fuzz catches a planted fault: ${name}`, () => assertCaught(withFault, runTrace));
}

test('[SY63] with and without a connection, in whatever order things arrive, undo and redo end where the reference does', async (t) => {
  let tried = 0;
  for (const round of rounds((done) => done >= traces)) {
    const seed = round - 1;
    assert.equal(await runUndoTrace(seed), undefined, `seed ${seed}`);
    tried = round;
  }
  tellTried(t, tried, 'traces of undo');
});

const undoFaults = { reinstatingNothing, sendingWhatWasTakenBack, takingBackWhatWasSent, misplacingSplices };

for (const [name, withFault] of Object.entries(undoFaults)) {
  test(`[SY27] the fuzz of undo catches a planted fault: ${name}`, () => assertCaught(withFault, runUndoTrace));
}

async function assertCaught(
  withFault: PlantedFault,
  run: (seed: number) => Promise<string | undefined>,
): Promise<void> {
  const caughtBy = await withFault(async () => {
    for (let seed = 0; seed < seeds; seed += 1) {
      const wrong = await run(seed).catch(String);
      if (wrong !== undefined) return seed;
    }
    return undefined;
  });
  assert.notEqual(caughtBy, undefined);
}
