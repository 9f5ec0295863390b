import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { rootCodec } from '@loom/kernel/logs';
import type { RootOp } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import type { FilesPort } from '../disk/files-port.ts';
import { SimulatedFiles } from '../testing/simulated-files.ts';
import { begin, request, texts } from '../testing/writer.ts';
import { checkLogFiles, openFileSystemStore } from './index.ts';
import { temporaryStore } from './testing/temporary-store.ts';

test('[FS8] client ids are reserved by the hundred before the first is given, and never given again', async (t) => {
  const { path, open } = temporaryStore(t);
  const first = await open();
  assert.deepEqual([await first.nextClientId(), await first.nextClientId()], [2, 3]);
  assert.match(readFileSync(join(path, 'client-ids.json'), 'utf8'), /"reserved":101\}\n$/u);
  await first.close();
  const second = await open();
  const given = await Promise.all(Array.from({ length: 101 }, () => second.nextClientId()));
  assert.deepEqual([given[0], given[100]], [102, 202]);
});

test('[FS24] a damaged or missing file of client ids is made again above all numbers that a log names; one of leases is empty', async (t) => {
  const { path, open } = temporaryStore(t);
  const first = await open();
  const ops: RootOp[] = [{ type: 'client-added', client: 4711 }];
  const change = { seq: 1, time: 0, agent: 'anna', request: 'r', result: null, ops };
  await begin(first, 'root-1', [rootCodec.encode(change)]);
  await begin(first, 'root-2', ['no change at all, with a "client" in it']);
  await begin(first, 'root-3', ['another']);
  await first.nextClientId(5000);
  await first.lease('turn', 'one', 60_000);
  await first.close();
  writeFileSync(join(path, 'root-3/log.jsonl'), 'damaged');
  for (const [name, next] of [
    ['client-ids.json', async (store: Store) => store.nextClientId()],
    ['leases.json', async (store: Store) => store.lease('turn', 'two', 1)],
  ] as const) {
    const whole = readFileSync(join(path, name), 'utf8');
    for (const damage of ['', whole.slice(0, -1), whole.replace(/\d\D*$/u, ''), undefined]) {
      if (damage === undefined) rmSync(join(path, name));
      else writeFileSync(join(path, name), damage);
      const store = await open();
      assert.equal(await next(store), name === 'leases.json' ? true : 1_004_712);
      await store.close();
      assert.deepEqual(
        (await checkLogFiles(path)).map(({ name: found }) => found),
        ['root-3'],
      );
    }
  }
});

test('[FS10] after a failed sync the descriptor is given up, and the file cut back through another one', async () => {
  const { files, calls, failNext } = watchedFiles();
  const store = await openFileSystemStore({ directory: '/data', files });
  const epoch = await begin(store, 'a', ['one']);
  calls.length = 0;
  failNext('sync', 'truncate');
  await assert.rejects(store.append('a', request(epoch, 1, ['lost'])), { code: 'store-failed' });
  assert.deepEqual(await texts(store, 'a'), ['one']);
  assert.deepEqual(await store.append('a', request(epoch, 1, ['two'])), { ok: true, epoch });
  const first = ['open 1', 'write 1', 'sync 1', 'close 1', 'open 2', 'truncate 2', 'close 2'];
  const next = ['open 3', 'truncate 3', 'sync 3', 'close 3', 'open 4', 'write 4', 'sync 4', 'close 4'];
  assert.deepEqual(calls, [...first, ...next]);
});

test('[FS11] on a full disk writes fail with advice, reads go on, and writes do when there is room', async () => {
  const disk = new SimulatedFiles(Math.random);
  const store = await openFileSystemStore({ directory: '/data', files: disk.boot() });
  const epoch = await begin(store, 'a', ['one', 'two']);
  const fold = (): Promise<boolean> => store.fold('a', { epoch, first: 1, record: { seq: 2, text: 'both' } });
  const writes = [
    () => store.append('a', request(epoch, 2, ['three'])),
    () => store.append('b', request(undefined, 0, ['one'])),
    fold,
    () => store.nextClientId(),
    () => store.lease('turn', 'one', 1000),
    () => store.putBlob(Uint8Array.of(1)),
  ];
  disk.full = true;
  for (const write of writes) {
    await assert.rejects(write, { code: 'store-failed', advice: /disk is full/u });
    assert.deepEqual(await texts(store, 'a'), ['one', 'two']);
    assert.deepEqual(await store.logs(), ['a']);
  }
  disk.full = false;
  for (const write of writes) await write();
  assert.deepEqual(await texts(store, 'a'), ['both', 'three']);
});

test('[FS13] handles of one process on one directory take turns, whichever is closed first', async (t) => {
  const { path, open } = temporaryStore(t);
  const [first, second] = [await open(), await openFileSystemStore({ directory: join(path, '.', 'x', '..') })];
  t.after(() => second.close());
  const epoch = await begin(first, 'a', ['one']);
  await second.append('a', request(epoch, 1, ['two']));
  await first.close();
  const third = await open();
  await Promise.all([second, third].map((store) => store.append('a', request(epoch, 2, ['three']))));
  for (const store of [second, third]) assert.deepEqual(await texts(store, 'a'), ['one', 'two', 'three']);
  assert.equal(third.capabilities.shared, false);
});

/** Notes the calls on open files but the note of the log by the number of the descriptor, and makes the next ones of some names fail. */
function watchedFiles(): { files: FilesPort; calls: string[]; failNext: (...names: string[]) => void } {
  const files = new SimulatedFiles(Math.random).boot();
  const calls: string[] = [];
  const failing = new Set<string>();
  const note = <T>(name: string, number: number, work: () => Promise<T>): Promise<T> => {
    calls.push(`${name} ${number}`);
    return failing.delete(name) ? Promise.reject(new Error(`no ${name}`)) : work();
  };
  return {
    calls,
    failNext: (...names) => names.forEach((name) => failing.add(name)),
    files: {
      ...files,
      open(path, how) {
        if (path.endsWith('.acknowledged')) return files.open(path, how);
        const number = calls.filter((call) => call.startsWith('open')).length + 1;
        return note('open', number, async () => {
          const file = await files.open(path, how);
          return {
            write: (bytes, position) => note('write', number, () => file.write(bytes, position)),
            truncate: (length) => note('truncate', number, () => file.truncate(length)),
            sync: () => note('sync', number, () => file.sync()),
            close: () => note('close', number, () => file.close()),
          };
        });
      },
    },
  };
}
