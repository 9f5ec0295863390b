import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds, tellTried } from '@loom/blocks/testing';
import { Random } from '@loom/kernel/testing';
import { fuzzOperations } from '../testing/api-fuzz.ts';
import { serveLoom } from '../testing/served-loom.ts';

test('[SV16] 2,000 calls from the schemas, half of them spoilt: no failure, no answer beside its schema, no pollution', async (t) => {
  const seed = Number(process.env['LOOM_SEED'] ?? 20_261_117);
  t.diagnostic(`LOOM_SEED=${seed}`);
  let tried = 0;
  for (const round of rounds((done) => done * callsOfRound >= calls)) {
    const served = await serveLoom(t);
    const { taken, reached } = await fuzzOperations(served, new Random(seed + round - 1), callsOfRound);
    assert.ok(taken > 400 && reached.size > 30, 'most operations were really reached');
    assert.deepEqual(served.failures, []);
    assert.equal(Reflect.get({}, 'polluted'), undefined);
    tried = round * callsOfRound;
  }
  tellTried(t, tried, 'calls from the schemas');
});

/** More in the deep run. */
const calls = Number(process.env['LOOM_API_CALLS'] ?? 2000);
const callsOfRound = 2000;

test('[SV16] the fuzz finds a planted fault: an answer that is not what its row says', async (t) => {
  const served = await serveLoom(t);
  const liar = served.engine.operations.find(({ name }) => name === 'root.list') ?? assert.fail();
  // The row is the one of all servers in the process, and tells the truth again after the test.
  t.mock.method(liar, 'run', async () => ({ ok: true, value: { items: 'none' } }));
  await assert.rejects(fuzzOperations(served, new Random(1), 2000), /root\.list/u);
});
