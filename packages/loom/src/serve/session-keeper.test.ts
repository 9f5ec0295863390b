import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore } from '@loom/data-folder';
import { STORE_KINDS } from '@loom/data-folder/store-kind';
import { temporaryDirectory } from '@loom/kernel/testing';
import { nodeDisk } from '@loom/data-folder/files';
import { sessionKeeper } from './session-keeper.ts';

const session = { id: 'loom-1', owner: 'me', uris: ['loom://conversations/root-1'] };

for (const kind of STORE_KINDS) {
  test(`[MC13] ${kind}: what sessions have subscribed to is kept in the store, and read again by each process that comes`, async (t) => {
    const dataDir = temporaryDirectory(t);
    const first = await openStore(dataDir, kind);
    const keeper = sessionKeeper(first, nodeDisk, dataDir);
    assert.equal(await keeper.read(), undefined);
    await keeper.write([]);
    await keeper.write([session]);
    await first.close();
    for (const _process of ['second', 'third']) {
      const store = await openStore(dataDir, kind);
      assert.deepEqual(await sessionKeeper(store, nodeDisk, dataDir).read(), [session]);
      await store.close();
    }
    assert.equal(existsSync(join(dataDir, 'mcp-sessions.json')), false);
  });
}

test('[MC13] the file of an older version is taken over once; one that cannot be read is left', async (t) => {
  const dataDir = temporaryDirectory(t);
  const store = await openStore(dataDir, 'sqlite');
  t.after(() => store.close());
  const file = join(dataDir, 'mcp-sessions.json');
  writeFileSync(file, '[{"id":');
  await assert.rejects(async () => sessionKeeper(store, nodeDisk, dataDir).read(), SyntaxError);
  assert.equal(existsSync(file), true);
  writeFileSync(file, JSON.stringify([session]));
  assert.deepEqual(await sessionKeeper(store, nodeDisk, dataDir).read(), [session]);
  assert.equal(existsSync(file), false);
  assert.deepEqual(await sessionKeeper(store, nodeDisk, dataDir).read(), [session]);
});
