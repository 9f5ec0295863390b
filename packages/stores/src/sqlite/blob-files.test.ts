import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { StoreError } from '@loom/kernel/store';
import { writeDurably } from '../disk/durable-files.ts';
import { machineFiles } from '../disk/machine-files.ts';
import { temporaryName } from '../disk/temporary-name.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';

const bytes = new TextEncoder().encode('some output');

test('[SQ15] a blob is one file, named by its hash, and nothing else is left in blobs/', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const store = await open();
  const ids = await Promise.all(
    Array.from({ length: 10 }, (_, index) => store.putBlob(index < 5 ? bytes : Uint8Array.of(index))),
  );
  assert.deepEqual(readdirSync(join(path, 'blobs')).sort(), [...new Set(ids)].map((id) => id.slice(7)).sort());
  assert.deepEqual(new Uint8Array(readFileSync(join(path, 'blobs', ids[0]?.slice(7) ?? ''))), bytes);
});

test('[SQ34] a link named blobs is not followed', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const store = await open();
  const id = await store.putBlob(bytes);
  renameSync(join(path, 'blobs'), join(path, 'elsewhere'));
  symlinkSync(join(path, 'elsewhere'), join(path, 'blobs'));
  const refused = { code: 'store-corrupt', message: /links are not followed/u };
  await assert.rejects(store.putBlob(Uint8Array.of(1)), refused);
  await assert.rejects(store.getBlob(id), refused);
  assert.equal(readdirSync(join(path, 'elsewhere')).length, 1);
});

test('[SQ16] a damaged blob is reported, never handed out, and mended by putting its bytes again', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const store = await open();
  const id = await store.putBlob(bytes);
  const file = join(path, 'blobs', id.slice(7));
  for (const damage of ['', 'some outpux', 'some output and more']) {
    writeFileSync(file, damage);
    await assert.rejects(store.getBlob(id), (error) => error instanceof StoreError && error.code === 'store-corrupt');
    assert.equal(await store.putBlob(bytes), id);
    assert.deepEqual(await store.getBlob(id), bytes);
  }
});

test('[ST44] damage to a piece of a blob is reported when a range has to do with it, also after another was read', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const [store, later] = [await open(), await open()];
  const long = Uint8Array.from({ length: 700_000 }, (_, index) => index % 251);
  const writer = await store.createBlob();
  await writer.write(long);
  const { id } = await writer.finish();
  const file = join(path, 'blobs', id.slice(7));
  assert.deepEqual(await store.getBlob(id, { start: 600_000, end: 600_010 }), long.slice(600_000, 600_010));
  const damaged = long.slice();
  damaged[600_005] = 252;
  writeFileSync(file, damaged);
  assert.deepEqual(await store.getBlob(id, { start: 5, end: 9 }), long.slice(5, 9));
  for (const range of [{ start: 600_000, end: 600_010 }, { start: 600_010 }]) {
    await assert.rejects(store.getBlob(id, range), { code: 'store-corrupt' });
  }
  await assert.rejects(later.getBlob(id, { end: 1 }), { code: 'store-corrupt' });
  await store.putBlob(long);
  assert.deepEqual(await later.getBlob(id, { end: 1 }), long.slice(0, 1));
  writeFileSync(file, long.slice(0, 690_000));
  await assert.rejects(store.getBlob(id, { start: 695_000 }), { code: 'store-corrupt' });
});

test('[ST43] what a killed process has left of a blob is removed with the next one that is written', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const store = await open();
  mkdirSync(join(path, 'blobs'));
  const ended = spawnSync(process.execPath, ['-e', '']).pid;
  const left = basename(temporaryName('blob')).replace(`-${process.pid}-`, `-${ended}-`);
  const own = basename(temporaryName('blob'));
  for (const name of [left, own]) writeFileSync(join(path, 'blobs', name), 'half');
  const id = await store.putBlob(bytes);
  assert.deepEqual(readdirSync(join(path, 'blobs')).sort(), [own, id.slice(7)].sort());
});

test('[SQ17] a blob that cannot be written or read fails with advice and leaves nothing behind', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const store = await open();
  const failed = (error: unknown): boolean =>
    error instanceof StoreError && error.code === 'store-failed' && error.advice !== '';
  writeFileSync(join(path, 'blobs'), 'in the way');
  await assert.rejects(store.putBlob(bytes), failed);
  rmSync(join(path, 'blobs'));
  const id = await store.putBlob(bytes);
  const file = join(path, 'blobs', id.slice(7));
  rmSync(file);
  mkdirSync(join(file, 'not empty'), { recursive: true });
  await assert.rejects(store.getBlob(id), failed);
  await assert.rejects(store.putBlob(bytes), failed);
  assert.deepEqual(readdirSync(join(path, 'blobs')), [id.slice(7)]);
  rmSync(file, { recursive: true });
  assert.equal(await store.putBlob(bytes), id);
});

test('[SQ17] a file that cannot take its name at last leaves no temporary one', async (t) => {
  const { path } = temporaryDirectory(t);
  mkdirSync(join(path, 'taken', 'not empty'), { recursive: true });
  await assert.rejects(
    writeDurably(machineFiles, { path: join(path, 'taken'), temporary: join(path, 'temporary'), bytes }),
  );
  assert.deepEqual(readdirSync(path), ['taken']);
});
