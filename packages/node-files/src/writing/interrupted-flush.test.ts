import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createMemoryStore } from '@loom/stores/memory';
import { begin } from '@loom/stores/testing';
import { findChangedFiles } from '../intake/changed-files.ts';
import { FileLedger, sumOf } from '../file-ledger.ts';
import { FilesWorld } from '../testing/files-world.ts';
import { makeDirectory } from '../testing/legacy-directory.ts';

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

test('[NW28] [NW35] what an editor has changed in such a file since, if only its end, is in the log once it was checked', async () => {
  const { world, root, node, lookBacks } = await killBeforeNote();
  await world.edit(`${root}/nodes/node-1.json`, '"one two "', '"one "');
  await world.files.checkRoot(root);
  assert.equal(lookBacks(), 1);
  assert.equal(await world.text(root, node), 'one three ');
  assert.equal(world.reported('merged').length, 1);
});

test('[NW35] a reader does not take it for an edit either, unless an editor has changed it', async (t) => {
  const name = 'nodes/node-1.json';
  const directory = makeDirectory(t, { [`root-1/${name}`]: '{}' });
  const store = createMemoryStore();
  const ledger = await FileLedger.load(store, 'root-1');
  ledger.belongTo(await begin(store, 'root-1', ['one']));
  ledger.put(name, { sum: sumOf(Buffer.from('{}')), size: 2, mtime: 1, seq: 1, links: '' });
  await ledger.intend(new Map([[name, { sum: sumOf(Buffer.from('{"a":1}')), seq: 2, links: '' }]]));
  const changed = async (content: string): Promise<string[]> => {
    writeFileSync(join(directory, 'root-1', name), content);
    return (await findChangedFiles(store, directory, 'root-1', Date.now())).files;
  };
  assert.deepEqual(await changed('{"a":1}'), []);
  assert.deepEqual(await changed('{"a":2}'), [`root-1/${name}`]);
});

/** Returns a world whose process was killed right after it had replaced a file; before that, the log had grown. */
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
    // The first write records the intended files; from the second one on the process is dead.
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
