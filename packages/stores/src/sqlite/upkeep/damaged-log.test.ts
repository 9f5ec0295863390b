import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { begin, request } from '../../testing/writer.ts';
import { readDamagedLog } from './damaged-log.ts';
import { rewriteLogs } from './rewrite-log.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';

test('[SQ35] records that cannot be unpacked, or are missing, stand as such between the others, and the log can be rewritten', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const store = await open();
  const epoch = await begin(store, 'a', ['one', 'two', 'three', 'four', 'five', 'six']);
  await store.fold('a', { epoch, first: 2, record: { seq: 3, text: 'two and three' } });
  await store.close();
  const database = new DatabaseSync(join(path, 'loom.db'));
  const change = database.prepare("UPDATE records SET packed = x'00ff' WHERE packed NOTNULL AND first = 2");
  assert.equal(Number(change.run().changes), 1);
  database.exec('DELETE FROM records WHERE id & 0xffffffff IN (5, 6)');
  database.close();

  const broken = await open();
  await assert.rejects(broken.read('a', 0), { code: 'store-corrupt' });
  await broken.close();
  const found = readDamagedLog(path, 'a');
  assert.ok(found !== undefined);
  assert.deepEqual(found.records, [
    { seq: 1, text: 'one' },
    { seq: 3, text: 'not UTF-8, in base64: AP8=' },
    { seq: 4, text: 'four' },
    { seq: 6, text: '' },
  ]);
  rewriteLogs(path, [found]);
  const again = await open();
  const contents = await again.read('a', 0);
  assert.deepEqual(contents?.records, found.records);
  assert.ok((await again.append('a', request(contents?.epoch, 6, ['on']))).ok);
  await again.close();
  assert.equal(readDamagedLog(path, 'none'), undefined);
});
