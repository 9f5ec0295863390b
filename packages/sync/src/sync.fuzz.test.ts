import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  applyingTwice,
  forgettingAfterResync,
  forgettingWhatWasLeft,
  keepingOldDocuments,
  keepingOldNodes,
  losingOutlines,
  repeatingUnderOtherIds,
  skippingInTheRing,
} from './testing/planted-fault.ts';
import { runTrace } from './testing/sync-trace.ts';

const seeds = 120;

test('[SY26] after everything has arrived all replicas have what the kernel has, and what was typed is there once', async () => {
  for (let seed = 0; seed < seeds; seed += 1) {
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
};

for (const [name, withFault] of Object.entries(faults)) {
  test(`[SY27] the fuzz catches a planted fault: ${name}`, async () => {
    const caughtBy = await withFault(async () => {
      for (let seed = 0; seed < seeds; seed += 1) if ((await runTrace(seed)) !== undefined) return seed;
      return undefined;
    });
    assert.notEqual(caughtBy, undefined);
  });
}
