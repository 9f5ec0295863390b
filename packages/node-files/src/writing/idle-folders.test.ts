import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FilesWorld } from '../testing/files-world.ts';

test('[NW39] folders with many files leave sooner', async () => {
  const world = await FilesWorld.create();
  const roots: string[] = [];
  for (let index = 0; index < 4; index += 1) {
    const root = await world.createRoot(`Prompt ${index}.`);
    let parent = root;
    for (let said = 1; said <= 700; said += 1) {
      await world.say(root, parent, 'x');
      parent = `${root}/node-${said}`;
    }
    await world.settle(400);
    roots.push(root);
  }
  assert.ok(world.files.foldersInMemory <= 3, `${world.files.foldersInMemory} are in mind after writing`);
  const [first = ''] = roots;
  await world.say(first, first, 'more');
  await world.settle(1000);
  await world.assertWritten();
});

test('[NW39] folders that nothing happens to are not kept in mind, and go on as before', async () => {
  const world = await FilesWorld.create();
  const roots: string[] = [];
  for (let index = 0; index < 150; index += 1) {
    const root = await world.createRoot(`Prompt ${index}.`);
    await world.say(root, root, `said ${index}`);
    await world.settle(400);
    roots.push(root);
  }
  assert.ok(world.files.foldersInMemory <= 101, `${world.files.foldersInMemory} are in mind after writing`);
  await world.assertWritten();
  await world.boot();
  for (const root of roots) {
    await world.files.checkRoot(root);
    await world.settle(400);
  }
  assert.ok(world.files.foldersInMemory <= 101, `${world.files.foldersInMemory} are in mind after a look`);
  const [first = ''] = roots;
  await world.edit(`${first}/nodes/node-1.json`, 'said 0', 'edited');
  await world.say(first, `${first}/node-1`, 'more', 'assistant');
  await world.settle(1000);
  assert.match(JSON.stringify((await world.node(first, `${first}/node-1`)).blocks), /edited/u);
  await world.assertWritten();
});
