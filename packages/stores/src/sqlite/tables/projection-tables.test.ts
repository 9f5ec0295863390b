import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { ProjectionPart, Store } from '@loom/kernel/store';
import { begin, request, texts } from '../../testing/writer.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';

const long = 'over and over again. '.repeat(500);

test('[SQ20] a part is compressed', async (t) => {
  const { database, store } = await project(t, [
    { key: 'long', text: long },
    { key: 'short', text: 'short' },
  ]);
  const rows = database.prepare('SELECT key, length(packed) AS size FROM parts ORDER BY key').all();
  assert.ok(Number(rows[0]?.['size']) < long.length / 20);
  assert.deepEqual((await store.readProjection('a', 'state', 'l'))?.parts, [{ key: 'long', text: long }]);
});

test('[SQ20] [ST37] a part of which one bit is another makes its projection absent, until it is made again', async (t) => {
  for (const text of [long, 'short']) {
    const put = [{ key: 'part', text }];
    const { database, store, epoch } = await project(t, put);
    const packed = database.prepare('SELECT packed FROM parts').get()?.['packed'];
    if (!(packed instanceof Uint8Array)) assert.fail();
    for (let bit = 0; bit < packed.length * 8; bit += 1) {
      const flipped = Uint8Array.from(packed);
      flipped[bit >> 3] = (packed[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      database.prepare('UPDATE parts SET packed = ?').run(flipped);
      const found = await store.readProjection('a', 'state');
      // Some bits of a frame say nothing.
      if (found !== undefined) assert.deepEqual(found.parts, put, `bit ${bit}`);
    }
    database.exec("UPDATE parts SET packed = x'00112233'");
    assert.equal(await store.readProjection('a', 'state'), undefined);
    assert.equal(await store.writeProjection('a', 'state', { epoch, seq: 1, base: undefined, put, drop: [] }), true);
    assert.deepEqual((await store.readProjection('a', 'state'))?.parts, put);
  }
});

test('[SQ20] [ST37] a projection that says to hold more than its log, or another epoch, is absent', async (t) => {
  const { database, store } = await project(t, [{ key: 'x', text: 'y' }]);
  database.exec('UPDATE projections SET seq = 2');
  assert.equal(await store.readProjection('a', 'state'), undefined);
  database.exec("UPDATE projections SET seq = 1, epoch = 'other'");
  assert.equal(await store.readProjection('a', 'state'), undefined);
});

test('[SQ20] whatever page of projections is damaged: they are absent or whole, and appends go on', async (t) => {
  const put = Array.from({ length: 60 }, (_, index) => ({
    key: `key ${index}`.padStart(60, '0'),
    text: randomBytes(95).toString('hex'),
  }));
  const { path, open, database, store, epoch } = await project(t, put);
  const pages = database.prepare("SELECT pageno FROM dbstat WHERE name IN ('parts', 'sqlite_autoindex_parts_1')").all();
  database.close();
  await store.close();
  const file = join(path, 'loom.db');
  const whole = readFileSync(file);
  let absent = 0;
  for (const row of pages) {
    const page = Number(row['pageno']);
    // The note is about the writes to the former file.
    rmSync(`${file}.acknowledged`);
    writeFileSync(file, Buffer.from(whole).fill(0xa5, (page - 1) * 4096, page * 4096));
    const damaged = await open();
    const found = await damaged.readProjection('a', 'state');
    if (found === undefined) absent += 1;
    else assert.equal(found.parts.length, put.length);
    const [appended] = await Promise.all([
      damaged.append('a', request(epoch, 1, ['two'])),
      damaged.writeProjection('a', 'state', { epoch, seq: 1, base: undefined, put, drop: [] }),
    ]);
    assert.ok(appended.ok);
    assert.deepEqual(await texts(damaged, 'a'), ['one', 'two']);
    await damaged.close();
  }
  assert.ok(absent >= pages.length - 1 && pages.length > 5, `${absent} of ${pages.length}`);
});

async function project(
  t: TestContext,
  put: ProjectionPart[],
): Promise<{ path: string; open: () => Promise<Store>; store: Store; epoch: string; database: DatabaseSync }> {
  const { path, open } = temporaryDirectory(t);
  const store = await open();
  const epoch = await begin(store, 'a', ['one']);
  await store.writeProjection('a', 'state', { epoch, seq: 1, base: undefined, put, drop: [] });
  const database = new DatabaseSync(join(path, 'loom.db'));
  t.after(() => (database.isOpen ? database.close() : undefined));
  return { path, open, store, epoch, database };
}
