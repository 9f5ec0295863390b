import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ForestFolder } from '../testing/forest-folder.ts';

test('[FC6] a database that is not Loom’s is told with advice, and stays as it is', async (context) => {
  const folder = new ForestFolder(context);
  mkdirSync(folder.dataDir);
  writeFileSync(join(folder.dataDir, 'loom.db'), 'something else entirely, and long enough to be looked at');
  for (const args of [['ls'], ['chat', '-p', 'hello']]) {
    const { code, out, note } = await folder.run(args);
    assert.deepEqual([code, out], [1, ''], args.join(' '));
    assert.match(note, /is not a database of Loom.*\n.*Choose another data directory/);
  }
});

test('[FC1] a data folder that cannot be made is told with advice', async (context) => {
  const folder = new ForestFolder(context);
  writeFileSync(folder.dataDir, 'a file in the way');
  const { code, note } = await folder.run(['chat', '-p', 'hello']);
  assert.equal(code, 1);
  assert.match(note, /--data-dir|rights/);
});

test(
  '[FC1] a folder that the system says cannot be there is told at once',
  { skip: existsSync('/proc/self') ? false : 'there is no /proc' },
  async (context) => {
    const folder = new ForestFolder(context);
    const { code, note } = await folder.run(['demo', '--data-dir', '/proc/none/below']);
    assert.equal(code, 1);
    assert.match(note, /the data folder \/proc\/none\/below cannot be made/u);
  },
);
