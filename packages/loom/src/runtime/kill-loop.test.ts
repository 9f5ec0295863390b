import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from 'node:path';
import { Forest } from '@loom/kernel/logs';
import { createMemoryStore } from '@loom/stores/memory';
import { runs, tellTried } from '@loom/blocks/testing';
import { Random, temporaryDirectory } from '@loom/kernel/testing';
import { Acknowledged } from '../testing/kill-loop/acknowledged.ts';
import { createSortableIds } from './sortable-ids.ts';
import { runKillLoop, worthwhile } from '../testing/kill-loop/kill-loop.ts';

for (const [store, every, share] of [
  ['sqlite', 20, 0.5],
  ['files', 8, 1],
] as const) {
  test(`[DU1] [DU2] [DU3] a writer that is killed again and again loses nothing that it has acknowledged: ${store}`, async (context) => {
    const kills = runs(every, Number(process.env['LOOM_KILLS'] ?? 2000));
    const random = new Random(Date.now());
    const directory = join(temporaryDirectory(context), 'data');
    const report = await runKillLoop({ directory, store, kills, share, below: (limit) => random.below(limit) });
    tellTried(context, report.kills, `kills, ${report.acknowledged} acknowledgements, ${store}`);
    assert.deepEqual(report.findings, []);
    assert.ok(
      report.kills < 8 || report.acknowledged > worthwhile * report.kills,
      `only ${report.acknowledged} acknowledgements`,
    );
  });
}

for (const [fault, store] of [
  ['early', 'sqlite'],
  ['early', 'files'],
  ['unrecovered', 'sqlite'],
] as const) {
  test(`[DU1] [DU3] the kills find a planted fault: ${fault}, ${store}`, async (context) => {
    const random = new Random(1);
    const directory = join(temporaryDirectory(context), 'data');
    const report = await runKillLoop({ directory, store, kills: 20, below: (limit) => random.below(limit), fault });
    assert.notDeepEqual(report.findings, []);
  });
}

test('[DU1] [DU2] what is found is held against what was acknowledged: half a batch, an older one and a missing one are found', async () => {
  const clock = { now: Date.now, after: () => () => {} };
  const forest = new Forest({ store: createMemoryStore(), clock, ids: createSortableIds() });
  const request = (): { agent: string; id: string } => ({ agent: 'person', id: createSortableIds().next() });
  const findingsWith = async (text: string): Promise<string[]> => {
    const created = await forest.createRoot(request());
    assert.ok(created.ok);
    const { root } = created.value;
    const message = { role: 'user' as const, content: [{ type: 'text' as const, text }] satisfies [unknown] };
    assert.ok((await forest.append(request(), root, { parent: root, messages: [message] })).ok);
    return new Acknowledged([{ type: 'pair', number: 3 }]).findings(await forest.log(root).state());
  };
  assert.deepEqual(await findingsWith('pair 3\npair 3\n'), []);
  assert.deepEqual(await findingsWith('pair 4\npair 4\n'), [], 'one that was not acknowledged any more');
  assert.match((await findingsWith('pair 4\npair 3\n')).join(), /half of a batch/u);
  assert.match((await findingsWith('pair 2\npair 2\n')).join(), /3 was acknowledged/u);
  assert.match((await findingsWith('something else')).join(), /the pair is gone/u);
});
