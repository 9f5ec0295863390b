import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { StoreError } from '@loom/kernel/store';
import { begin, request, texts } from '../../testing/writer.ts';
import { connectDatabase } from '../database.ts';
import { openSqliteStore } from '../open.ts';
import { RecordTables } from '../tables/record-tables.ts';
import { RewriteTables } from '../tables/rewrite-tables.ts';
import { SheddingMark } from '../tables/shedding-mark.ts';
import { rewriteLogs } from './rewrite-log.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';

const secret = 'sk-0123456789-very-secret';

/** Returns true if any file of a directory holds a text literally. */
function holds(directory: string, text: string): boolean {
  return readdirSync(directory).some((name) => readFileSync(join(directory, name)).includes(text));
}

test('[SQ27] a log that is rewritten has other records and another epoch, and what it had is in no file', async (t) => {
  const { path: directory } = temporaryDirectory(t);
  const store = await openSqliteStore({ directory });
  const epoch = await begin(store, 'a', ['one']);
  await store.append('a', { ...request(epoch, 1, [secret, 'three']), head: { time: 1, text: secret } });
  await begin(store, 'b', ['kept']);
  await store.fold('a', { epoch, first: 2, record: { seq: 3, text: `${secret}\nthree` } });
  await store.writeProjection('a', 'state', {
    epoch,
    seq: 3,
    base: undefined,
    put: [{ key: 'x', text: secret }],
    drop: [],
  });
  await store.close();
  const records = [
    { seq: 1, text: 'one' },
    { seq: 3, text: 'purged' },
  ];
  rewriteLogs(directory, [{ log: 'a', epoch, lastSeq: 3, records }]);
  assert.equal(holds(directory, secret), false);
  assert.equal(holds(directory, 'kept'), true, 'other logs are plain to see');
  const after = await openSqliteStore({ directory });
  const read = await after.read('a', 0);
  assert.deepEqual(read?.records, records);
  assert.notEqual(read?.epoch, epoch);
  assert.equal(await after.readProjection('a', 'state'), undefined);
  assert.deepEqual(await texts(after, 'b'), ['kept']);
  assert.equal((await after.append('a', request(read?.epoch, 3, ['four']))).ok, true);
  await after.close();
});

test('[SQ27] if anything has changed meanwhile, or does not fit, all logs stay as they are', async (t) => {
  const { path: directory } = temporaryDirectory(t);
  const store = await openSqliteStore({ directory });
  const [one, two] = [await begin(store, 'a', ['one']), await begin(store, 'b', ['two'])];
  await store.close();
  const good = { log: 'a', epoch: one, lastSeq: 1, records: [{ seq: 1, text: 'other' }] };
  for (const bad of [
    { log: 'b', epoch: one, lastSeq: 1, records: [{ seq: 1, text: 'x' }] },
    { log: 'b', epoch: two, lastSeq: 2, records: [{ seq: 2, text: 'x' }] },
    { log: 'c', epoch: two, lastSeq: 1, records: [{ seq: 1, text: 'x' }] },
  ]) {
    assert.throws(() => rewriteLogs(directory, [good, bad]), StoreError);
  }
  assert.throws(() => rewriteLogs(directory, [good, { log: 'b', epoch: two, lastSeq: 1, records: [] }]), RangeError);
  const after = await openSqliteStore({ directory });
  assert.deepEqual([await texts(after, 'a'), await texts(after, 'b')], [['one'], ['two']]);
  await after.close();
});

test('[SQ27] a rewriting that cannot make sure that it is in no file any more says so, and does when it is repeated', async (t) => {
  const { path: directory } = temporaryDirectory(t);
  const store = await openSqliteStore({ directory });
  const epoch = await begin(store, 'a', [secret]);
  const records = [{ seq: 1, text: 'purged' }];
  const reader = new DatabaseSync(join(directory, 'loom.db'), { readOnly: true });
  reader.exec('BEGIN');
  reader.prepare('SELECT count(*) FROM records').get();
  assert.throws(
    () => rewriteLogs(directory, [{ log: 'a', epoch, lastSeq: 1, records }]),
    (error) => error instanceof StoreError && error.code === 'store-locked',
  );
  assert.equal(holds(directory, secret), true);
  reader.close();
  const renewed = (await store.read('a', 0))?.epoch ?? '';
  await store.close();
  rewriteLogs(directory, [{ log: 'a', epoch: renewed, lastSeq: 1, records }]);
  assert.equal(holds(directory, secret), false);
});

test('[SQ39] what a process that was killed has not erased is erased by the next that opens the store', async (t) => {
  const { path: directory } = temporaryDirectory(t);
  const store = await openSqliteStore({ directory });
  const many = Array.from({ length: 500 }, () => secret);
  const epoch = await begin(store, 'a', many);
  await store.close();
  const database = connectDatabase(join(directory, 'loom.db'));
  database.exec('BEGIN IMMEDIATE');
  const tables = new RecordTables(database);
  tables.recall();
  const rewrite = { log: 'a', epoch, lastSeq: 500, records: [{ seq: 500, text: 'purged' }] };
  assert.equal(new RewriteTables(database, tables).rewrite([rewrite]), undefined);
  database.exec('COMMIT');
  database.close();
  assert.equal(holds(directory, secret), true, 'in free pages');
  const reader = await openSqliteStore({ directory, looks: 'alone' });
  await reader.close();
  assert.equal(holds(directory, secret), true, 'a reader changes nothing');
  const other = new DatabaseSync(join(directory, 'loom.db'), { readOnly: true });
  other.exec('BEGIN');
  other.prepare('SELECT count(*) FROM records').get();
  const hindered = await openSqliteStore({ directory });
  assert.deepEqual(await texts(hindered, 'a'), ['purged'], 'another process that reads is in the way of nothing else');
  await hindered.close();
  other.close();
  const next = await openSqliteStore({ directory });
  assert.equal(holds(directory, secret), false);
  assert.deepEqual(await texts(next, 'a'), ['purged']);
  await next.close();
  const marked = connectDatabase(join(directory, 'loom.db'));
  assert.equal(new SheddingMark(marked).isSet, false);
  marked.close();
});
