import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { temporaryDirectory } from '@loom/kernel/testing';
import { nodeDisk } from '@loom/data-folder/files';
import { sessionFile, sessionKeeper } from './session-file.ts';

test('[MC13] what sessions have subscribed to is kept in the data folder, for its owner alone', async (t) => {
  const dataDir = temporaryDirectory(t);
  const keeper = sessionKeeper(nodeDisk, dataDir);
  assert.equal(await keeper.read(), undefined);
  const session = { id: 'loom-1', owner: 'me', uris: ['loom://conversations/root-1'] };
  await keeper.write([]);
  await keeper.write([session]);
  assert.deepEqual(await sessionKeeper(nodeDisk, dataDir).read(), [session]);
  assert.equal(statSync(join(dataDir, sessionFile)).mode & 0o777, 0o600);
  writeFileSync(join(dataDir, sessionFile), '[{"id":');
  await assert.rejects(async () => keeper.read(), SyntaxError);
});
