import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runs } from '@loom/blocks/testing/corpus';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import { temporaryDirectory } from '@loom/kernel/testing';
import { runRestoreRace, startRacers } from '../testing/restore-race/restore-race.ts';

let racers: ReturnType<typeof startRacers> = [];

before(() => {
  racers = startRacers();
});

after(() => Promise.all(racers.map((racer) => racer.end())));

for (const store of STORE_KINDS) {
  test(`[AR25] restorations and chats that wait for each other lose nothing that was acknowledged: ${store}`, async (context) => {
    const rounds = runs(3, 20);
    const dataDir = join(temporaryDirectory(context), 'data');
    const report = await runRestoreRace(racers, { dataDir, store, rounds, manner: 'sound' });
    context.diagnostic(`${report.restored} restorations, ${report.acknowledged} acknowledged messages, ${store}`);
    assert.deepEqual(report.findings, []);
    assert.ok(report.restored >= rounds && report.acknowledged >= rounds);
  });
}

test('[AR25] the race finds a planted fault: a lock that does not last until the work is done', async (context) => {
  const dataDir = join(temporaryDirectory(context), 'data');
  const report = await runRestoreRace(racers, { dataDir, store: 'files', rounds: 30, manner: 'faulty' });
  assert.notDeepEqual(report.findings, []);
});
