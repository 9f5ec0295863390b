import assert from 'node:assert/strict';
import { test } from 'node:test';
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

/** Seeds that once found a defect: typing that two clients had left was merged twice (1012). */
const regressionSeeds = [1012];

test('[SY26] after everything has arrived all replicas have what the kernel has, and what was typed is there once', async () => {
  for (const seed of [...Array(seeds).keys(), ...regressionSeeds]) {
    assert.equal(await runTrace(seed), undefined, `seed ${seed}`);
  }
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

test('[SY63] with and without a connection, in whatever order things arrive, undo and redo end where the reference does', async () => {
  for (let seed = 0; seed < seeds; seed += 1) {
    assert.equal(await runUndoTrace(seed), undefined, `seed ${seed}`);
  }
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
