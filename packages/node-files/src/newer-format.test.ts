import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeFilesPort } from './node-files-port.ts';
import { expect, FilesWorld } from './testing/files-world.ts';
import type { FilesWorldOptions } from './testing/files-world.ts';

/** Returns the file of a newer Loom: more than this one can represent. */
const newerNode = (text: string): string =>
  text
    .replace('"format": 2', '"format": 1000, "mood": "glad"')
    .replace('one', 'ONE')
    .replace('"child_ids"', '"children"');
const newerRoot = (text: string): string =>
  text.replace('"format": 2', '"format": 1000').replace('"counters"', '"count"');

for (const moment of ['while Loom runs', 'while Loom is away', 'and the ledger is gone'] as const) {
  test(`[NW34] a file of a newer format that comes ${moment} stays byte for byte, and everything else goes on`, () =>
    leaveNewer(moment));
}

test('[NW34] a reader that does not look at the format is found out', async () => {
  await assert.rejects(leaveNewer('while Loom runs', { plant: seeNoFormat }), assert.AssertionError);
  await assert.rejects(leaveNewer('while Loom is away', { isSilent: true }), assert.AssertionError);
});

test('[NW34] it is written again when it is moved away, and an edit of the old format is taken in as ever', async () => {
  const { world, root, first, node, own } = await twoMessages({});
  const [nodeText, ownText] = [(await world.read(node)) ?? '', (await world.read(own)) ?? ''];
  await world.save(node, newerNode(nodeText));
  await world.save(own, newerRoot(ownText));
  await world.settle();
  await world.remove(own);
  await world.save(node, nodeText.replace('one', '1'));
  await world.settle();
  assert.equal(await world.text(root, first), '1 two');
  await world.assertWritten();
  await world.save(node, newerNode(nodeText));
  await world.settle();
  await world.shutDown();
  await world.remove(node);
  await world.boot();
  await world.settle();
  await world.assertWritten();
});

test('[NW34] a file of a newer format that belongs to no node is told as that, and its name is given to no node', async () => {
  const { world, root, first, node } = await twoMessages({});
  const stranger = `${root}/nodes/node-3.json`;
  const bytes = newerNode(((await world.read(node)) ?? '').replaceAll('node-1', 'node-3'));
  await world.save(stranger, bytes);
  await world.settle();
  assert.deepEqual(world.reported('newer'), [{ type: 'newer', root, file: stranger, format: 1000 }]);
  assert.deepEqual(world.reported('unknown'), []);
  assert.equal(await world.say(root, first, 'another'), `${root}/node-4`);
  await world.settle();
  assert.equal(await world.read(stranger), bytes);
});

test('[NW34] a list of roots of a newer format stays, and is told of once', async () => {
  const { world, root, first } = await twoMessages({});
  const list = '{"format": 1000, "roots": {}}';
  await world.save('roots.json', list);
  await world.settle();
  await world.createRoot('Another one.');
  await world.say(root, first, 'go on');
  await world.settle();
  assert.equal(await world.read('roots.json'), list);
  assert.deepEqual(world.reports, [{ type: 'newer', root: undefined, file: 'roots.json', format: 1000 }]);
  assert.equal((await world.forest.roots()).length, 2);
  await world.remove('roots.json');
  await world.settle();
  await world.assertWritten();
});

async function leaveNewer(
  moment: 'while Loom runs' | 'while Loom is away' | 'and the ledger is gone',
  options: FilesWorldOptions = {},
): Promise<void> {
  const { world, root, first, node, own } = await twoMessages(options);
  const seq = (await world.state(root)).seq;
  if (moment !== 'while Loom runs') await world.shutDown();
  const [newer, newerOwn] = [newerNode((await world.read(node)) ?? ''), newerRoot((await world.read(own)) ?? '')];
  await world.save(node, newer);
  await world.save(own, newerOwn);
  if (moment === 'and the ledger is gone') await world.forgetLedgers();
  const assertLeft = async (): Promise<void> => {
    assert.equal(await world.read(node), newer);
    assert.equal(await world.read(own), newerOwn);
    assert.deepEqual(await world.list('quarantine'), []);
    const told = world.reports.map((report) => `${report.type} ${'file' in report ? report.file : ''}`);
    assert.deepEqual(told.toSorted(), [`newer ${node}`, `newer ${own}`]);
  };
  if (moment !== 'while Loom runs') await world.boot();
  await world.settle();
  assert.equal((await world.state(root)).seq, seq);
  await assertLeft();

  // The log has the node all the same, and changes of it, of the root and of others.
  const block = (await world.node(root, first)).blocks[0]?.block_id ?? '';
  expect(await world.forest.editBlock(world.request(), root, { block, text: 'one two three' }));
  expect(await world.forest.markRoot(world.request(), root, { title: 'Talk' }));
  const third = await world.say(root, first, 'a second answer', 'assistant');
  await world.settle();
  await world.files.recheckRoot(root);
  await world.files.flush();
  await assertLeft();
  assert.equal(await world.text(root, first), 'one two three');
  const file = (await world.read(`${root}/nodes/${third.slice(root.length + 1)}.json`)) ?? '';
  assert.ok(file.includes('a second answer'));
  assert.match((await world.read('roots.json')) ?? '', /"title": "Talk"/u);

  // Every process reports it once.
  await world.shutDown();
  world.reports.length = 0;
  await world.boot();
  await world.settle();
  await assertLeft();
}

async function twoMessages(
  options: FilesWorldOptions,
): Promise<{ world: FilesWorld; root: string; first: string; node: string; own: string }> {
  const world = await FilesWorld.create(options);
  const root = await world.createRoot();
  const first = await world.say(root, root, 'one two');
  await world.say(root, first, 'an answer', 'assistant');
  await world.settle();
  return { world, root, first, node: `${root}/nodes/node-1.json`, own: `${root}/root.json` };
}

/** Returns a port that makes every file look like the format that this Loom knows. */
function seeNoFormat(files: NodeFilesPort): NodeFilesPort {
  return {
    ...files,
    async read(path, from, to) {
      const text = new TextDecoder().decode(await files.read(path, from, to));
      return Buffer.from(text.replace('"format": 1000', '"format": 2'));
    },
  };
}
