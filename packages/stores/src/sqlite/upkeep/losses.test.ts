import assert from 'node:assert/strict';
import {
  appendFileSync,
  copyFileSync,
  cpSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { begin, request, texts } from '../../testing/writer.ts';
import type { LostLog } from '../../lost-log.ts';
import type { Acknowledged } from './acknowledged-note.ts';
import { AcknowledgedNote, readAcknowledged, sealEach } from './acknowledged-note.ts';
import { findDatabase, inspectLosses, openSqliteStore } from '../index.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';

test('[SQ30] a log that is not all there, or gone, is told by the process that opens the database, also to read', async (t) => {
  const { path, epoch } = await killed(t);
  const wal = join(path, 'loom.db-wal');
  truncateSync(wal, readFileSync(wal).length - 5000);
  const told: LostLog[] = [];
  const lost = (one: LostLog): void => void told.push(one);
  const reader = await openSqliteStore({ directory: path, looks: 'alone', lost });
  await reader.close();
  assert.deepEqual(told.splice(0), [{ log: 'b', epoch: epoch.b, seq: 1, end: 0 }]);
  assert.deepEqual(await inspectLosses(path), [{ log: 'b', epoch: epoch.b, seq: 1, end: 0 }]);
  const { path: emptied, epoch: former } = await killed(t);
  truncateSync(join(emptied, 'loom.db-wal'), 0);
  const writer = await openSqliteStore({ directory: emptied, lost });
  assert.deepEqual(told.splice(0), [
    { log: 'a', epoch: former.a, seq: 3, end: 1 },
    { log: 'b', epoch: former.b, seq: 1, end: 0 },
  ]);
  await writer.close();
});

test('[SQ30] what is all there, was rewritten or has no note is no loss, and neither are damaged lines of the note', async (t) => {
  const { path } = await killed(t);
  const note = join(path, 'loom.db.acknowledged');
  appendFileSync(note, `${readFileSync(note, 'utf8').split('\n')[0]?.replace('"seq":1', '"seq":9')}\n{"crc":`);
  const lost = ({ log }: LostLog): void => assert.fail(log);
  const store = await openSqliteStore({ directory: path, lost });
  assert.deepEqual(await texts(store, 'a'), ['one', 'two', 'three']);
  await store.close();
  rmSync(note);
  truncateSync(join(path, 'loom.db'), 0);
  assert.equal(findDatabase(path), 'none');
  await (await openSqliteStore({ directory: path, lost })).close();
});

test('[SQ30] the note of many appends stays small, and names the logs that were written to last', async (t) => {
  const { path } = temporaryDirectory(t);
  const file = join(path, 'loom.db.acknowledged');
  const linesIn = (): number => readFileSync(file, 'utf8').split('\n').length - 1;
  const note = new AcknowledgedNote(join(path, 'loom.db'));
  for (let seq = 1; seq <= 3000; seq += 1) {
    note.add([{ log: `log ${seq % 700}`, epoch: 'e', seq }]);
    if (seq % 100 === 0) assert.ok(linesIn() <= 2000);
  }
  const logs = note.read();
  assert.ok(logs.size >= 500);
  assert.deepEqual([logs.get('log 200')?.seq, logs.get('log 199')?.seq], [3000, 2999]);
  note.close();
  const short = new AcknowledgedNote(join(path, 'short.db'));
  for (let seq = 1; seq <= 1000; seq += 1) short.add([{ log: 'a', epoch: 'e', seq }]);
  short.close();
  assert.deepEqual(readAcknowledged(join(path, 'short.db.acknowledged')), [{ log: 'a', epoch: 'e', seq: 1000 }]);
  assert.ok(readFileSync(join(path, 'short.db.acknowledged')).length < 200);
});

test('[SQ30] a commit of many logs adds one line to the note, of which damage takes no more; lines of former versions are read', (t) => {
  const { path } = temporaryDirectory(t);
  const file = join(path, 'loom.db.acknowledged');
  const entriesAt = (seq: number): Acknowledged[] =>
    Array.from({ length: 64 }, (_, index) => ({ log: `log ${index}`, epoch: `epoch ${index}`, seq }));
  writeFileSync(file, sealEach(entriesAt(1)));
  const note = new AcknowledgedNote(join(path, 'loom.db'));
  assert.deepEqual([...note.read().values()], entriesAt(1));
  for (const seq of [2, 3, 4]) note.add(entriesAt(seq));
  const lines = readFileSync(file, 'utf8').split('\n');
  assert.equal(lines.length - 1, 64 + 3);
  assert.deepEqual([...note.read().values()], entriesAt(4));
  writeFileSync(
    file,
    lines.map((line, index) => (index === 66 ? line.replace('"epoch 9"', '"epoch 8"') : line)).join('\n'),
  );
  assert.deepEqual([...new AcknowledgedNote(join(path, 'loom.db')).read().values()], entriesAt(3));
  note.close();
});

test('[SQ30] the note of commits of many logs stays small, too', (t) => {
  const { path } = temporaryDirectory(t);
  const note = new AcknowledgedNote(join(path, 'loom.db'));
  const sizes: number[] = [];
  for (let commit = 1; commit <= 1000; commit += 1) {
    const entries = Array.from({ length: 64 }, (_, index) => ({
      log: `log ${index}`,
      epoch: 'e'.repeat(36),
      seq: commit,
    }));
    note.add(entries);
    if (commit % 10 === 0) sizes.push(statSync(join(path, 'loom.db.acknowledged')).size);
  }
  assert.ok(Math.max(...sizes) < 1.1 * 2 ** 20);
  assert.deepEqual(new Set([...note.read().values()].map(({ seq }) => seq)), new Set([1000]));
  note.close();
});

test('[SQ31] before anything is written in its place, a loss is kept in mind, and a log of which a part is left gets another epoch', async (t) => {
  const { path, epoch, whole } = await killed(t);
  truncateSync(join(path, 'loom.db-wal'), 0);
  const store = await openSqliteStore({ directory: path });
  const behind = await store.append('a', request(epoch.a, 3, ['four']));
  assert.ok(!behind.ok);
  assert.deepEqual([behind.conflict.tail.map(({ text }) => text), behind.conflict.epoch === epoch.a], [['one'], false]);
  const other = behind.conflict.epoch;
  assert.ok((await store.append('a', request(other, 1, ['2', '3', '4']))).ok);
  await store.close();
  const kept = { kept: true };
  const losses = (await inspectLosses(path, kept)).map(({ log, seq }) => `${log} ${seq}`);
  assert.deepEqual(losses, ['a 3', 'b 1']);
  assert.deepEqual(await inspectLosses(path), [], 'the next writer has nothing to find');
  // The database is back.
  for (const name of ['loom.db', 'loom.db-wal']) copyFileSync(join(whole, name), join(path, name));
  assert.deepEqual(await inspectLosses(path, kept), []);
});

test('[SQ31] a damaged write-ahead log, and one whose database is gone, are kept', async (t) => {
  const { path: damaged } = await killed(t);
  const cut = join(damaged, 'loom.db-wal');
  truncateSync(cut, readFileSync(cut).length - 5000);
  const left = readFileSync(cut);
  await (await openSqliteStore({ directory: damaged, now: () => 6 })).close();
  assert.ok(left.equals(readFileSync(join(damaged, 'loom.db.lost-wal-6'))));
  const { path } = await killed(t);
  rmSync(join(path, 'loom.db'));
  const bytes = readFileSync(join(path, 'loom.db-wal'));
  assert.equal(findDatabase(path), 'lost');
  const losses = await inspectLosses(path);
  assert.deepEqual(
    losses.map(({ log, end }) => `${log} ${end}`),
    ['a 0', 'b 0'],
  );
  await (await openSqliteStore({ directory: path, now: () => 7 })).close();
  assert.ok(bytes.equals(readFileSync(join(path, 'loom.db.lost-wal-7'))));
  assert.equal(existsSync(join(path, 'loom.db')), true);
});

/** A directory as a killed process leaves it: `a` has one record in the database and two more, like all of `b`, in its write-ahead log. */
async function killed(t: TestContext): Promise<{ path: string; whole: string; epoch: { a: string; b: string } }> {
  const { path, open } = temporaryDirectory(t);
  const before = await open();
  const a = await begin(before, 'a', ['one']);
  await before.close();
  const store = await open();
  assert.ok((await store.append('a', request(a, 1, ['two', 'three']))).ok);
  const b = await begin(store, 'b', ['one']);
  const [copy, whole] = [temporaryDirectory(t).path, temporaryDirectory(t).path];
  for (const folder of [copy, whole]) {
    for (const name of readdirSync(path)) cpSync(join(path, name), join(folder, name), { recursive: true });
  }
  return { path: copy, whole, epoch: { a, b } };
}
