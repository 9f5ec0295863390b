import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FilesWorld } from './testing/files-world.ts';

test('[NW35] after a kill between a file and its note the file is known as Loom’s own, without a look back', async () => {
  const { world, root, node, lookBacks } = await killBeforeNote();
  assert.match((await world.read(`${root}/nodes/node-1.json`)) ?? '', /"one two "/u);
  await world.files.checkRoot(root);
  assert.equal(lookBacks(), 0);
  await world.settle();
  await world.assertWritten();
  assert.equal(await world.text(root, node), 'one two three ');
  assert.deepEqual(world.reports, []);
});

test('[NW28] [NW35] what somebody has changed in such a file since, if only its end, is in the log once it was checked', async () => {
  const { world, root, node, lookBacks } = await killBeforeNote();
  await world.edit(`${root}/nodes/node-1.json`, '"one two "', '"one "');
  await world.files.checkRoot(root);
  assert.equal(lookBacks(), 1);
  assert.equal(await world.text(root, node), 'one three ');
  assert.equal(world.reported('merged').length, 1);
});

/** A process that was killed right after it had replaced a file; before that the log had gone on. */
async function killBeforeNote(): Promise<{
  world: FilesWorld;
  root: string;
  node: string;
  lookBacks: () => number;
}> {
  const world = await FilesWorld.create({ isUnwatched: true });
  const root = await world.createRoot();
  const answer = await world.begin(root, root);
  await answer.write('one ');
  await world.settle();
  const { store } = world;
  const write = store.writeProjection.bind(store);
  let isCut = false;
  store.writeProjection = async (log, name, request) => {
    if (log !== root || name !== 'files') return write(log, name, request);
    // The first one says what is about to be written; from the second one on the process is dead.
    if (isCut) return true;
    isCut = true;
    return write(log, name, request);
  };
  await answer.write('two ');
  await world.settle();
  assert.ok(isCut);
  await answer.write('three ');
  let reads = 0;
  world.watchReads((log, afterSeq) => {
    if (log === root && afterSeq === 0) reads += 1;
  });
  await world.boot();
  // The log itself is read once from its beginning.
  return { world, root, node: answer.node, lookBacks: () => reads - 1 };
}
