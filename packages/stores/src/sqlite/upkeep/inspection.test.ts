import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { Store } from '@loom/kernel/store';
import { begin } from '../../testing/writer.ts';
import { checkIntegrity, sizesOf } from '../index.ts';
import { remakeDatabase } from './remade-database.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';

test('[SQ25] sizes are told by part: logs, projections by name, leases and client ids, free pages, the write-ahead log, blobs', async (t) => {
  const { path, store } = await fill(t);
  await store.putBlob(new Uint8Array(5000));
  const open = sizesOf(path);
  assert.ok(open.files.writeAheadLog > 100_000);
  assert.equal(open.files.blobs, 5000);
  await store.close();
  const { files, pages, logs, projections } = sizesOf(path);
  assert.equal(files.writeAheadLog, 0);
  assert.equal(files.database, statSync(join(path, 'loom.db')).size);
  assert.equal(
    Object.values(pages).reduce((sum, bytes) => sum + bytes, 0),
    files.database,
  );
  assert.deepEqual(logs, [
    { name: 'a', changes: 300, records: 300, bytes: 300 * 1000 },
    { name: 'b', changes: 3, records: 1, bytes: logs[1]?.bytes },
  ]);
  assert.ok((logs[1]?.bytes ?? 0) > 10 && (logs[1]?.bytes ?? 0) < 100, 'a folded record is compressed');
  assert.deepEqual(
    projections.map(({ name, parts }) => ({ name, parts })),
    [
      { name: 'files', parts: 1 },
      { name: 'state', parts: 200 },
    ],
  );
  const projected = projections[1]?.bytes ?? 0;
  assert.ok(projected > 200 * 10 && projected < 200 * 50, `${projected} bytes`);
  assert.ok(pages.records >= 300_000 && pages.records < 450_000);
  assert.ok(pages.projections >= projected && pages.projections < 100_000);
  assert.ok(pages.coordination >= 2 * 4096 && pages.logs >= 2 * 4096 && pages.structure >= 4096);
  using database = new DatabaseSync(join(path, 'loom.db'));
  database.exec('DELETE FROM records WHERE id < 1 << 33');
  const emptied = sizesOf(path);
  assert.ok(emptied.pages.free >= 290_000 && emptied.pages.records < 20_000);
});

test('[SQ25] neither sizes nor checks change anything, and both need a database of Loom', async (t) => {
  const { path, store } = await fill(t);
  await store.close();
  const before = readFileSync(join(path, 'loom.db'));
  sizesOf(path);
  assert.deepEqual(await checkIntegrity(path), { logs: 2, records: 301, problems: [] });
  assert.ok(before.equals(readFileSync(join(path, 'loom.db'))));
  assert.deepEqual(readdirSync(path).toSorted(), ['loom.db', 'loom.db.acknowledged']);
  const empty = temporaryDirectory(t).path;
  assert.throws(() => sizesOf(empty), { code: 'store-failed' });
  await assert.rejects(checkIntegrity(empty), { code: 'store-failed' });
  writeFileSync(join(empty, 'loom.db'), 'Dear diary');
  assert.throws(() => sizesOf(empty), { code: 'store-corrupt' });
});

test('[SQ25] what a crash has left in the write-ahead log is seen, and stays there', async (t) => {
  const { path } = await fill(t);
  const crashed = temporaryDirectory(t).path;
  const names = ['loom.db', 'loom.db-wal'];
  for (const name of names) copyFileSync(join(path, name), join(crashed, name));
  assert.equal(sizesOf(crashed).logs[0]?.records, 300);
  assert.deepEqual(await checkIntegrity(crashed), { logs: 2, records: 301, problems: [] });
  for (const name of names) assert.ok(readFileSync(join(path, name)).equals(readFileSync(join(crashed, name))), name);
});

test('[SQ26] the check finds gaps, wrong ends, strays, what cannot be unpacked, and texts that are not what they should be', async (t) => {
  const { path, store } = await fill(t);
  using database = new DatabaseSync(join(path, 'loom.db'));
  const found = async (sql: string): Promise<string[]> => {
    database.exec(`SAVEPOINT damage; ${sql}`);
    database.exec('RELEASE damage');
    const { problems } = await checkIntegrity(path, (text) =>
      text.startsWith('x') ? undefined : 'it is none of ours',
    );
    return problems.map(({ part, name, message }) => `${part} ${name ?? '-'}: ${message}`);
  };
  assert.deepEqual(await found(''), []);
  const expected: [sql: string, problem: string][] = [
    ['DELETE FROM records WHERE id = (1 << 32) + 7', 'log a: after 6 comes 8'],
    ['DELETE FROM records WHERE id = (1 << 32) + 300', 'log a: it ends at 299, but should end at 300'],
    ["UPDATE records SET text = 'y' WHERE id = (1 << 32) + 9", 'log a: record 9: it is none of ours'],
    ['UPDATE records SET text = NULL WHERE id = (1 << 32) + 10', 'log a: record 10: its text is missing'],
    ["UPDATE records SET packed = x'0011' WHERE id = (2 << 32) + 3", 'log b: record 3: it cannot be unpacked: '],
    ["INSERT INTO records (id, text) VALUES ((9 << 32) + 1, 'x')", 'database -: 1 record belongs to no log'],
    ['DELETE FROM client_ids', 'database -: the last client id is missing'],
    ["UPDATE projections SET seq = 999 WHERE name = 'files'", 'projection files: it holds more than its log'],
    ["UPDATE projections SET log = 9 WHERE name = 'files'", 'projection files: its log is gone'],
    ["UPDATE projections SET epoch = 'x' WHERE name = 'state'", 'projection state: its log has another epoch'],
    ["UPDATE parts SET packed = x'0011' WHERE key = '100'", 'projection state: part "100": it cannot be unpacked: '],
    ["INSERT INTO parts VALUES (99, 'k', x'00')", 'projection -: part "k": it belongs to no projection'],
  ];
  for (const [sql, problem] of expected) {
    const problems = await found(sql);
    assert.ok(
      problems.some((one) => one.startsWith(problem)),
      `${problem}\n${problems.join('\n')}`,
    );
  }
  await store.close();
});

test('[SQ26] the check finds a damaged page of any kind', async (t) => {
  const { path, store } = await fill(t);
  await store.close();
  const file = join(path, 'loom.db');
  const whole = readFileSync(file);
  using database = new DatabaseSync(file);
  const used = database.prepare("SELECT pageno FROM dbstat WHERE name IS NOT 'sqlite_schema' ORDER BY pageno").all();
  database.close();
  let missed = 0;
  for (const row of used.filter((_, index) => index % 4 === 0)) {
    const page = Number(row['pageno']);
    writeFileSync(file, Buffer.from(whole).fill(0xa5, (page - 1) * 4096, page * 4096));
    const { problems } = await checkIntegrity(path);
    if (problems.length === 0) missed += 1;
  }
  assert.equal(missed, 0);
});

test('[SQ32] a database is made anew out of its logs, unless one of them is damaged', async (t) => {
  const { path, store } = await fill(t);
  await store.close();
  const file = join(path, 'loom.db');
  const whole = readFileSync(file);
  using database = new DatabaseSync(file);
  const pageOf = (type: string, table: string): number =>
    Number(
      database.prepare('SELECT rootpage FROM sqlite_schema WHERE type = ? AND tbl_name = ?').get(type, table)?.[
        'rootpage'
      ],
    );
  const [index, records] = [pageOf('index', 'logs'), pageOf('table', 'records')];
  database.close();
  const damage = (page: number): Buffer => Buffer.from(whole).fill(0xa5, (page - 1) * 4096, page * 4096);
  writeFileSync(file, damage(index));
  assert.notDeepEqual((await checkIntegrity(path)).problems, []);
  assert.equal(await remakeDatabase(path, 7), `${file}.damaged-7`);
  assert.deepEqual(await checkIntegrity(path), { logs: 2, records: 301, problems: [] });
  assert.deepEqual(readdirSync(path), ['loom.db', 'loom.db.acknowledged', 'loom.db.damaged-7']);
  writeFileSync(file, damage(records));
  await assert.rejects(remakeDatabase(path, 8), { code: 'store-corrupt' });
  assert.ok(readFileSync(file).equals(damage(records)));
  assert.deepEqual(readdirSync(path), ['loom.db', 'loom.db.acknowledged', 'loom.db.damaged-7']);
});

/** A log of 300 records, a folded one, two projections, a lease and a client id. */
async function fill(t: TestContext): Promise<{ path: string; store: Store }> {
  const { path, open } = temporaryDirectory(t);
  const store = await open();
  const epoch = await begin(
    store,
    'a',
    Array.from({ length: 300 }, () => 'x'.repeat(1000)),
  );
  const other = await begin(store, 'b', ['x', 'x', 'x']);
  await store.fold('b', { epoch: other, first: 1, record: { seq: 3, text: 'x'.repeat(2000) } });
  const put = Array.from({ length: 200 }, (_, index) => ({ key: `${100 + index}`, text: `x${'y'.repeat(2000)}` }));
  await store.writeProjection('a', 'state', { epoch, seq: 300, base: undefined, put, drop: [] });
  const ledger = [{ key: 'k', text: 't' }];
  await store.writeProjection('b', 'files', { epoch: other, seq: 3, base: undefined, put: ledger, drop: [] });
  await store.lease('turn', 'me', 1e12);
  await store.nextClientId();
  return { path, store };
}
