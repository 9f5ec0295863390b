import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { StoreError } from '@loom/kernel/store';
import { begin, request, texts, Writer } from '../testing/writer.ts';
import { databaseFailure } from './failures.ts';
import { assembleStore } from './testing/assembled-store.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';

const failure =
  (code: StoreError['code'], advice: RegExp) =>
  (error: unknown): boolean => {
    assert.ok(error instanceof StoreError, String(error));
    assert.equal(error.code, code);
    assert.match(error.advice, advice);
    return true;
  };

test('[SQ6] a full disk fails writes as a whole, not reads, and writes go on when there is room again', async (t) => {
  const { path } = temporaryDirectory(t);
  let pages = 40;
  const store = assembleStore(t, path, {
    prepare(database) {
      database.exec(`PRAGMA max_page_count = ${pages}`);
      return database;
    },
  });
  const writer = new Writer(store, 'a');
  const acknowledged: string[] = [];
  const full = failure('store-failed', /full.*Free some space/u);
  const fill = async (): Promise<void> => {
    for (let index = 0; index < 1000; index += 1) {
      const pair = [`${index} ${'x'.repeat(1900)}`, `${index} ${'y'.repeat(1900)}`];
      await writer.append(pair);
      acknowledged.push(...pair);
    }
  };
  await assert.rejects(fill(), full);
  assert.ok(acknowledged.length > 10);
  // Everything that shares the transaction fails with it.
  const large = randomBytes(50_000).toString('hex');
  const group = [store.append('a', request(writer.epoch, writer.seq, [large])), begin(store, 'b', ['small'])];
  for (const one of group) await assert.rejects(one, full);
  assert.deepEqual(await texts(store, 'a'), acknowledged);
  assert.equal(await texts(store, 'b'), undefined);
  pages = 1_000_000;
  await assert.rejects(
    begin(store, 'b', [randomBytes(500_000).toString('hex')]),
    full,
    'the limit belongs to the connection of before',
  );
  await begin(store, 'b', ['small']);
  await writer.append([large]);
  assert.deepEqual(await texts(store, 'a'), [...acknowledged, large]);
});

test('[SQ7] a lost connection or a file without write access fails with advice, and the next call makes a new connection', async (t) => {
  const { path } = temporaryDirectory(t);
  const connections: DatabaseSync[] = [];
  let readOnly = false;
  const store = assembleStore(t, path, {
    prepare(database) {
      if (readOnly) database.exec('PRAGMA query_only = ON');
      connections.push(database);
      return database;
    },
  });
  const epoch = await begin(store, 'a', ['one']);
  connections[0]?.close();
  await assert.rejects(store.append('a', request(epoch, 1, ['two'])), failure('store-failed', /Try again/u));
  assert.deepEqual(await store.append('a', request(epoch, 1, ['two'])), { ok: true, epoch });
  connections[1]?.close();
  await assert.rejects(store.read('a', 0), failure('store-failed', /Try again/u));
  readOnly = true;
  await assert.rejects(store.append('a', request(epoch, 2, ['three'])), failure('store-failed', /writable/u));
  assert.deepEqual(await texts(store, 'a'), ['one', 'two']);
  await assert.rejects(store.append('a', request(epoch, 2, ['three'])), failure('store-failed', /writable/u));
  readOnly = false;
  assert.deepEqual(await store.append('a', request(epoch, 2, ['three'])), { ok: true, epoch });
  assert.equal(connections.length, 5);
});

test('[SQ8] a caller that finds the database taken waits without blocking, and is told when it takes too long', async (t) => {
  const { path } = temporaryDirectory(t);
  let attempts = 0;
  const tries = new EventEmitter();
  const patient = assembleStore(t, path, {
    prepare(database) {
      const exec = database.exec.bind(database);
      database.exec = (sql) => {
        if (sql === 'BEGIN IMMEDIATE') tries.emit('try', (attempts += 1));
        exec(sql);
      };
      return database;
    },
  });
  const epoch = await begin(patient, 'a', ['one']);
  using other = new DatabaseSync(join(path, 'loom.db'));
  other.exec('BEGIN IMMEDIATE');
  const impatient = assembleStore(t, path, { patience: 0 });
  await assert.rejects(impatient.append('a', request(epoch, 1, ['x'])), failure('store-locked', /Another process/u));
  const waiting = patient.append('a', request(epoch, 1, ['two']));
  await once(tries, 'try');
  await once(tries, 'try');
  assert.deepEqual(await texts(patient, 'a'), ['one'], 'reading needs no turn');
  other.exec('COMMIT');
  assert.deepEqual(await waiting, { ok: true, epoch });
  assert.deepEqual(await impatient.append('a', request(epoch, 2, ['three'])), { ok: true, epoch });
});

test('[SQ8] a caller that is sent away in the middle of a transaction starts it again from its beginning', async (t) => {
  let refusals = 2;
  const store = assembleStore(t, temporaryDirectory(t).path, {
    prepare(database) {
      const exec = database.exec.bind(database);
      database.exec = (sql) => {
        const refuse = sql === 'COMMIT' && refusals > 0;
        if (!refuse) return exec(sql);
        refusals -= 1;
        throw Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR', errcode: 5 });
      };
      return database;
    },
  });
  const epoch = await begin(store, 'a', ['one']);
  assert.deepEqual(await store.read('a', 0), { epoch, records: [{ seq: 1, text: 'one' }] });
  assert.equal(refusals, 0);
});

test('[SQ9] a damaged page is reported as damage, never read as other data', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const before = await open();
  const stored = Array.from({ length: 200 }, (_, index) => `${index} ${'x'.repeat(500)}`);
  await begin(before, 'a', stored);
  await before.close();
  const file = join(path, 'loom.db');
  const whole = readFileSync(file);
  const pages = whole.length / 4096;
  let reported = 0;
  for (let page = 1; page < pages; page += 1) {
    writeFileSync(file, Buffer.from(whole).fill(0xa5, page * 4096, (page + 1) * 4096));
    const read = async (): Promise<string[] | undefined> => {
      const store = await open();
      try {
        return await texts(store, 'a');
      } finally {
        await store.close();
      }
    };
    const contents = await read().catch((error: unknown) => {
      reported += 1;
      return failure('store-corrupt', /safe place/u)(error);
    });
    // Pages of other tables do not concern this log.
    if (contents !== true) assert.deepEqual(contents, stored);
  }
  assert.ok(reported >= stored.length / 8, `${reported} of ${pages} pages`);
});

test('[SQ9] so are a record that is missing or too many, and a log that contradicts itself', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const store = await open();
  const epochs: string[] = [];
  for (const log of ['a', 'b', 'c', 'd']) epochs.push(await begin(store, log, ['one', 'two', 'three']));
  using other = new DatabaseSync(join(path, 'loom.db'));
  other.exec('DELETE FROM records WHERE id = (1 << 32) + 2');
  other.exec('DELETE FROM records WHERE id = (2 << 32) + 3');
  other.exec("INSERT INTO records (id, text) VALUES ((3 << 32) + 4, 'more')");
  const corrupt = failure('store-corrupt', /safe place/u);
  for (const log of ['a', 'b', 'c']) await assert.rejects(store.read(log, 0), corrupt);
  await assert.rejects(store.append('a', request(epochs[0], 0, ['x'])), corrupt);
  await assert.rejects(store.append('c', request(epochs[2], 3, ['x'])), corrupt);
  assert.deepEqual(await texts(store, 'd'), ['one', 'two', 'three']);
});

test('[SQ6] that SQLite cannot make its own file for want of room is told as a full disk', () => {
  const error = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 4874 });
  assert.ok(failure('store-failed', /disk is full/iu)(databaseFailure(error)));
  const other = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 266 });
  assert.ok(failure('store-failed', /Check the disk/u)(databaseFailure(other)));
});
