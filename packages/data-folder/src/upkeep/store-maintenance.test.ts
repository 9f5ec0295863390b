import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { openStore } from '../opening/data-store.ts';
import { STORE_KINDS } from '../store-kind.ts';
import { maintenanceOf } from './store-maintenance.ts';

const complaintAbout = (text: string): string | undefined => (text.includes('bad') ? 'it is bad' : undefined);

for (const kind of STORE_KINDS) {
  test(`[MT1] what keeps the logs is checked, read and rewritten by one interface: ${kind}`, async (context) => {
    const dataDir = join(temporaryDirectory(context), 'data');
    const store = await openStore(dataDir, kind);
    const records = [
      { seq: 1, text: '{"good":1}' },
      { seq: 2, text: '{"bad":2}' },
    ];
    const written = await store.append('root-1', { epoch: undefined, expectedSeq: 0, records });
    await store.close();
    assert.ok(written.ok);
    const { epoch } = written;
    const maintenance = (await maintenanceOf(dataDir)) ?? assert.fail();
    assert.deepEqual(await maintenance.mend(Date.now()), []);
    const [problem, ...others] = await maintenance.check(complaintAbout);
    assert.deepEqual([problem?.what, problem?.where, problem?.state, others], ['log', 'root-1', 'broken', []]);
    assert.deepEqual((await maintenance.readDamaged('root-1'))?.records, records);
    const request = { log: 'root-1', epoch, lastSeq: 2, records: [{ seq: 2, text: '{"good":2}' }] };
    await maintenance.rewrite(request);
    assert.deepEqual(await maintenance.check(complaintAbout), []);
    const again = await openStore(dataDir, kind);
    assert.deepEqual((await again.read('root-1', 0))?.records, request.records);
    await again.close();
    assert.match(maintenance.describeLoss({ log: 'root-1', seq: 2 }), /change 2 of it had been acknowledged/u);
  });
}

test('[MT1] a folder without logs has nothing to maintain', async (context) => {
  assert.equal(await maintenanceOf(temporaryDirectory(context)), undefined);
});
