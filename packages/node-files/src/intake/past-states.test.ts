import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@loom/kernel/testing';
import { PastStates } from './past-states.ts';
import { FilesWorld } from '../testing/files-world.ts';

test('[NW20] looking back, in whatever order, shows what the log said then, also where changes are kept together', async () => {
  const random = seededRandom(3);
  const world = await FilesWorld.create({ isUnwatched: true });
  const root = await world.createRoot();
  const answer = await world.begin(root, root);
  for (let count = 0; count < 30; count += 1) {
    await answer.write(`word ${count} `);
    if (count === 20) await world.forest.log(root).compact(3);
  }
  const log = world.forest.log(root);
  const past = new PastStates(world.store, root, log);
  const last = (await log.state()).seq;
  for (let count = 0; count < 60; count += 1) {
    // Mostly forward, in the usual order of files.
    const seq = random() < 0.7 ? Math.min(2 + count, last) : 2 + Math.floor(random() * (last - 1));
    const expected = (await log.past.stateAt(seq)).nodes.get(answer.node)?.blocks;
    assert.deepEqual(await past.read(seq, (state) => state.nodes.get(answer.node)?.blocks), expected);
    if (random() < 0.1) past.forget();
  }
  const seqs = Array.from({ length: last - 1 }, (_, index) => index + 2);
  const reached = await Promise.all(seqs.map((seq) => past.read(seq, (state) => state.seq)));
  assert.deepEqual(reached, seqs);
});
