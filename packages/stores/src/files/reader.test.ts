import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { FilesPort } from '../disk/files-port.ts';
import { machineFiles } from '../disk/machine-files.ts';
import { begin, request, texts } from '../testing/writer.ts';
import { openFileSystemReader, openFileSystemStore } from './index.ts';
import { temporaryStore } from './testing/temporary-store.ts';

/** Returns every file of a directory with its bytes and time. */
function photograph(path: string): Map<string, string> {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).sort();
  return new Map(
    names.map((name) => {
      const status = statSync(join(path, name));
      return [name, `${status.mtimeMs} ${status.isFile() ? readFileSync(join(path, name), 'hex') : ''}`];
    }),
  );
}

test('[FS17] a reader sees what is written since, but not half of a write, and changes nothing', async (t) => {
  const { path, open } = temporaryStore(t);
  const writer = await open();
  const epoch = await begin(writer, 'a', ['one', 'two']);
  const reader = openFileSystemReader({ directory: path });
  assert.deepEqual(await texts(reader, 'a'), ['one', 'two']);
  await writer.append('a', request(epoch, 2, ['three']));
  assert.deepEqual(await texts(reader, 'a'), ['one', 'two', 'three']);
  assert.ok(await writer.fold('a', { epoch, first: 1, record: { seq: 2, text: 'one and two' } }));
  assert.deepEqual(await texts(reader, 'a'), ['one and two', 'three']);

  const file = join(path, 'a', 'log.jsonl');
  const before = readFileSync(file).length;
  await writer.append('a', request(epoch, 3, ['four', 'five']));
  const whole = readFileSync(file);
  rmSync(`${file}.acknowledged`);
  for (const length of [whole.length - 1, whole.lastIndexOf('\n', -2) + 1, before + 5, before]) {
    truncateSync(file, length);
    const photo = photograph(path);
    for (const one of [reader, openFileSystemReader({ directory: path })]) {
      assert.deepEqual(await texts(one, 'a'), ['one and two', 'three'], `${length} of ${whole.length} bytes`);
    }
    assert.deepEqual(photograph(path), photo);
  }
  appendFileSync(file, whole.subarray(before));
  assert.deepEqual(await texts(reader, 'a'), ['one and two', 'three', 'four', 'five']);
  await reader.close();
});

test('[FS17] what comes behind the last known change is seen also if the file has become shorter meanwhile', async (t) => {
  const { path, open } = temporaryStore(t);
  const writer = await open();
  const epoch = await begin(writer, 'a', ['one'.repeat(1000), 'two']);
  const reader = openFileSystemReader({ directory: path });
  assert.equal((await reader.read('a', 0))?.records.length, 2);
  assert.ok(await writer.fold('a', { epoch, first: 1, record: { seq: 2, text: 'both' } }));
  await writer.append('a', request(epoch, 2, ['three']));
  assert.deepEqual((await reader.read('a', 2))?.records, [{ seq: 3, text: 'three' }]);
  await reader.close();
});

test('[FS17] a reader that trusts what it once saw would be found out', async (t) => {
  const { path, open } = temporaryStore(t);
  const writer = await open();
  const epoch = await begin(writer, 'a', ['one']);
  // Another file system by name, so that it does not share the writer's state.
  const fault = await openFileSystemStore({ directory: path, files: { ...machineFiles } });
  const reader = openFileSystemReader({ directory: path });
  for (const store of [fault, reader]) assert.deepEqual(await texts(store, 'a'), ['one']);
  await writer.append('a', request(epoch, 1, ['two']));
  assert.deepEqual(await texts(reader, 'a'), ['one', 'two']);
  assert.deepEqual(await texts(fault, 'a'), ['one'], 'the planted fault');
  await Promise.all([fault.close(), reader.close()]);
});

test('[FS17] a reader refuses to write, and needs no right to', async (t) => {
  const { path, open } = temporaryStore(t);
  const writer = await open();
  const epoch = await begin(writer, 'a', ['one']);
  await writer.writeProjection('a', 'p', { epoch, seq: 1, base: undefined, put: [{ key: 'k', text: 'v' }], drop: [] });
  const blob = await writer.putBlob(Uint8Array.of(1, 2));
  await writer.close();
  const refuse = (): Promise<never> => Promise.reject(Object.assign(new Error('read-only'), { code: 'EROFS' }));
  const medium: FilesPort = {
    ...machineFiles,
    syncDirectory: refuse,
    makeDirectory: refuse,
    removeDirectory: refuse,
    rename: refuse,
    remove: refuse,
    open: refuse,
  };
  const photo = photograph(path);
  for (const files of [machineFiles, medium]) {
    const reader = openFileSystemReader({ directory: path, files });
    assert.deepEqual(await reader.logs(), ['a']);
    assert.deepEqual(await texts(reader, 'a'), ['one']);
    assert.deepEqual((await reader.readProjection('a', 'p'))?.parts, [{ key: 'k', text: 'v' }]);
    assert.deepEqual(await reader.getBlob(blob), Uint8Array.of(1, 2));
    const put = { epoch, seq: 1, base: undefined, put: [], drop: [] };
    const writes = [
      () => reader.append('a', request(epoch, 1, ['two'])),
      () => reader.append('b', request(undefined, 0, ['one'])),
      () => reader.fold('a', { epoch, first: 1, record: { seq: 1, text: 'other' } }),
      () => reader.writeProjection('a', 'p', put),
      () => reader.nextClientId(),
      () => reader.lease('k', 'me', 1000),
      () => reader.putBlob(Uint8Array.of(3)),
    ];
    for (const write of writes) await assert.rejects(write, { code: 'store-failed' });
    await reader.close();
  }
  assert.deepEqual(photograph(path), photo);
});

test('[FS17] whatever a writer does meanwhile, a reader finds a log as it was at some moment', async (t) => {
  const { path, open } = temporaryStore(t);
  const writer = await open();
  const epoch = await begin(writer, 'a', ['1']);
  const reader = openFileSystemReader({ directory: path });
  const write = async (): Promise<void> => {
    for (let seq = 1; seq < 60; seq += 1) {
      await writer.append('a', request(epoch, seq, [`${seq + 1}`.padEnd(3000, '.')]));
      // Folding puts another file in the place of the log.
      if (seq % 5 === 0) await writer.fold('a', { epoch, first: seq - 4, record: { seq, text: `to ${seq}` } });
    }
  };
  let [last, reads] = [0, 0];
  const read = async (): Promise<void> => {
    while (last < 60) {
      const { records } = (await reader.read('a', 0)) ?? { records: [] };
      const end = records.at(-1)?.seq ?? 0;
      assert.ok(end >= last, `${end} after ${last}`);
      last = end;
      reads += 1;
    }
  };
  await Promise.all([write(), read()]);
  assert.ok(reads > 10, `${reads} reads`);
  assert.equal((await reader.read('a', 0))?.records.at(-1)?.seq, 60);
  await reader.close();
});

test('[FS14] the parts that are asked for by the beginning of their keys are those that have it', async (t) => {
  const { path, open } = temporaryStore(t);
  const store = await open();
  const epoch = await begin(store, 'a', ['one']);
  const keys = ['', 'h', 'head', 'head"', 'headé', 'heads/1', 'é', 'éa', '\\', 'key":"head', '🧵'];
  const put = keys.map((key) => ({ key, text: `text of ${key}` }));
  await store.writeProjection('a', 'p', { epoch, seq: 1, base: undefined, put, drop: [] });
  await store.writeProjection('a', 'p', { epoch, seq: 1, base: 1, put: [], drop: ['heads/1', 'éa'] });
  const left = keys.filter((key) => key !== 'heads/1' && key !== 'éa').sort();
  const reader = openFileSystemReader({ directory: path });
  for (const prefix of [...keys, 'he', 'head', '\ud83e', 'x']) {
    const found = await reader.readProjection('a', 'p', prefix);
    const expected = left.filter((key) => key.startsWith(prefix));
    assert.deepEqual(
      found?.parts.map(({ key }) => key),
      expected,
      JSON.stringify(prefix),
    );
  }
  await reader.close();
});
