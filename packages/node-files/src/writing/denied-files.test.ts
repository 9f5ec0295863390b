import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeFilesPort } from '../node-files-port.ts';
import { FilesWorld } from '../testing/files-world.ts';

test('[NW37] a node file that may not be read is reported and never replaced, and the others are looked at and written', async () => {
  const { world, closed, root, last } = await threeMessages();
  await world.shutDown();
  const [first, second] = [`${root}/nodes/node-1.json`, `${root}/nodes/node-2.json`];
  await world.edit(first, 'one', 'ONE');
  await world.edit(second, 'two', 'TWO');
  const bytes = await world.read(first);
  closed.add(first);
  await world.boot();
  await world.files.checkRoot(root);
  assert.equal(await world.text(root, `${root}/node-2`), 'TWO', 'an edit behind it was not taken in');
  await world.say(root, last, 'four');
  await world.say(root, `${root}/node-1`, 'another branch');
  await world.settle();
  for (const number of [4, 5]) assert.notEqual(await world.read(`${root}/nodes/node-${number}.json`), undefined);
  assert.equal(await world.read(first), bytes);
  assert.deepEqual(await world.list('quarantine'), []);
  assert.match(String(world.reported('failed').map((report) => 'error' in report && report.error)), /EACCES.*node-1/u);

  closed.clear();
  await world.settle(120_000);
  assert.equal(await world.text(root, `${root}/node-1`), 'ONE', 'what was written into it meanwhile is taken in');
  await world.assertWritten();
});

test('[NW37] a file of no node that may not be read is reported with the reason, and its name is given to no node', async () => {
  const { world, closed, root, last } = await threeMessages();
  const stranger = `${root}/nodes/node-4.json`;
  closed.add(stranger);
  await world.save(stranger, 'whatever');
  await world.settle();
  const denied = `EACCES: permission denied, open '/data/${stranger}'`;
  assert.deepEqual(world.reports, [{ type: 'unknown', root, file: stranger, denied }]);
  assert.equal(await world.say(root, last, 'four'), `${root}/node-5`);
  await world.settle();
  assert.equal(await world.read(stranger), 'whatever');
});

test('[NW37] the list of roots is written although the file of one may not be read', async () => {
  const { world, closed, root } = await threeMessages();
  await world.shutDown();
  await world.save('roots.json', '[]');
  closed.add(`${root}/root.json`);
  await world.boot();
  const other = await world.createRoot('Another one.');
  await world.settle();
  assert.match((await world.read('roots.json')) ?? '', new RegExp(other, 'u'));
});

/** A conversation in a world where some files may not be read. */
async function threeMessages(): Promise<{ world: FilesWorld; closed: Set<string>; root: string; last: string }> {
  const closed = new Set<string>();
  const plant = (files: NodeFilesPort): NodeFilesPort => ({
    ...files,
    read(path, from, to) {
      if (!closed.has(path.slice('/data/'.length))) return files.read(path, from, to);
      const message = `EACCES: permission denied, open '${path}'`;
      return Promise.reject(Object.assign(new Error(message), { code: 'EACCES' }));
    },
  });
  const world = await FilesWorld.create({ plant });
  const root = await world.createRoot();
  let last = root;
  for (const text of ['one', 'two', 'three']) last = await world.say(root, last, text);
  await world.settle();
  return { world, closed, root, last };
}
