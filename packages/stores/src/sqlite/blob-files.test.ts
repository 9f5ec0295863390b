import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { StoreError } from '@loom/kernel/store';
import { writeDurably } from '../disk/durable-files.ts';
import { machineFiles } from '../disk/machine-files.ts';
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
