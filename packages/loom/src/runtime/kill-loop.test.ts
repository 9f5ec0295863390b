import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from 'node:path';
import { runs } from '@loom/blocks/testing/corpus';
import { temporaryDirectory } from '../testing/loom-process.ts';
import { Random } from '../simulator/random.ts';
import { runKillLoop } from '../testing/kill-loop/kill-loop.ts';

test('[DU1] [DU2] [DU3] a writer that is killed again and again loses nothing that it has acknowledged', async (context) => {
  const kills = runs(40, 2000);
  const random = new Random(Date.now());
  const directory = join(temporaryDirectory(context), 'data');
  const report = await runKillLoop({ directory, kills, below: (limit) => random.below(limit) });
  context.diagnostic(`${report.kills} kills, ${report.acknowledged} acknowledgements`);
  assert.deepEqual(report.findings, []);
  assert.equal(report.kills, kills);
  assert.ok(report.acknowledged > 5 * kills, `only ${report.acknowledged} acknowledgements`);
});

for (const fault of ['early', 'unrecovered'] as const) {
  test(`[DU1] [DU3] the kills find a planted fault: ${fault}`, async (context) => {
    const random = new Random(1);
    const directory = join(temporaryDirectory(context), 'data');
    const report = await runKillLoop({ directory, kills: 20, below: (limit) => random.below(limit), fault });
    assert.notDeepEqual(report.findings, []);
  });
}
