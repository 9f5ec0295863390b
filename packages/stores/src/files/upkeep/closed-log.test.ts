import assert from 'node:assert/strict';
import { dirname } from 'node:path/posix';
import { test } from 'node:test';
import type { FilesPort } from '../../disk/files-port.ts';
import { SimulatedFiles } from '../../testing/simulated-files.ts';
import { begin, request, texts } from '../../testing/writer.ts';
import { checkLogFiles, openFileSystemReader, openFileSystemStore } from '../index.ts';

for (const [closed, code] of [
  ['/data/a', 'EACCES'],
  ['/data/a/log.jsonl', 'EPERM'],
] as const) {
  test(`[FS22] where ${closed} may not be opened, nothing is written there, and everything else goes on`, async () => {
    const disk = new SimulatedFiles(Math.random);
    const { epoch, other } = await twoLogs(disk);
    const { files, tried } = withClosed(disk.boot(), closed, code);
    const store = await openFileSystemStore({ directory: '/data', files });
    const reader = openFileSystemReader({ directory: '/data', files });
    const refusal = {
      code: 'store-denied',
      message: `you do not have permission to open /data/a/log.jsonl (${code})`,
      advice: /permissions/u,
    };
    for (const handle of [store, reader]) {
      await assert.rejects(handle.read('a', 0), refusal);
      await assert.rejects(handle.readProjection('a', 'state'), refusal);
      assert.deepEqual(await handle.logs(), ['a', 'b']);
      assert.deepEqual(await texts(handle, 'b'), ['one', 'two']);
      assert.deepEqual(await handle.heads({ order: 'name', limit: 9 }), [
        { log: 'a' },
        { log: 'b', head: { time: 1, text: 'of b' } },
      ]);
    }
    const put = [{ key: 'head', text: 'other' }];
    const works = [
      () => store.append('a', request(epoch, 2, ['more'])),
      () => store.append('a', request(undefined, 0, ['anew'])),
      () => store.fold('a', { epoch, first: 1, record: { seq: 2, text: 'both' } }),
      () => store.writeProjection('a', 'state', { epoch, seq: 2, base: undefined, put, drop: [] }),
      () => store.rewrite([{ log: 'a', epoch, lastSeq: 2, records: [{ seq: 2, text: 'x' }] }]),
    ];
    for (const work of works) await assert.rejects(work, refusal);
    assert.deepEqual(await store.append('b', request(other, 2, ['three'])), { ok: true, epoch: other });
    const [problem, ...more] = await checkLogFiles('/data', undefined, files);
    assert.deepEqual([problem?.part, problem?.name, more], ['log', 'a', []]);
    assert.match(problem?.message ?? '', /^you do not have permission to open .*permissions/u);
    assert.deepEqual(
      tried.filter((call) => call.includes('/data/a')),
      [],
      'a call tried to change it',
    );
    const later = await openFileSystemStore({ directory: '/data', files: disk.boot() });
    assert.deepEqual(await texts(later, 'a'), ['one', 'two']);
  });
}

for (const isGone of [false, true]) {
  const what = isGone ? 'whose log is gone' : 'with a log';
  test(`[FS22] a folder ${what} that may be entered but not listed does not keep the others from being read`, async () => {
    const disk = new SimulatedFiles(Math.random);
    await twoLogs(disk);
    const open = disk.boot();
    if (isGone) await open.remove('/data/a/log.jsonl');
    const files = withUnlisted(open, '/data/a');
    const told: string[] = [];
    const reader = openFileSystemReader({ directory: '/data', files, lost: ({ log }) => told.push(log) });
    assert.deepEqual(await texts(reader, 'b'), ['one', 'two']);
    assert.deepEqual(await texts(reader, 'a'), isGone ? undefined : ['one', 'two']);
    assert.deepEqual(told, isGone ? ['a'] : []);
    assert.deepEqual(
      (await checkLogFiles('/data', undefined, files)).map(({ part, name }) => [part, name]),
      isGone ? [['lost', 'a']] : [],
    );
  });
}

test('[FS22] where another log may not be made in the place of a lost one, that is told as one that may not be opened', async () => {
  const disk = new SimulatedFiles(Math.random);
  await twoLogs(disk);
  const open = disk.boot();
  await open.remove('/data/a/log.jsonl');
  // As a folder of another user.
  const closed = withClosed(open, '/data/a', 'EACCES').files;
  const files: FilesPort = {
    ...closed,
    list: (directory) => open.list(directory),
    read: (path, from, to) => open.read(path, from, to),
    open: (path, how) => (how === 'change' ? open : closed).open(path, how),
  };
  const store = await openFileSystemStore({ directory: '/data', files });
  assert.equal(await texts(store, 'a'), undefined);
  const refusal = { code: 'store-denied', message: 'you do not have permission to open /data/a/log.jsonl (EACCES)' };
  await assert.rejects(begin(store, 'a', ['again']), refusal);
});

test('[FS22] what is derived from a log that may not be opened is not said to be made again', async () => {
  const disk = new SimulatedFiles(Math.random);
  await twoLogs(disk);
  // As a folder that may be listed but not entered.
  const open = disk.boot();
  const files: FilesPort = {
    ...withClosed(open, '/data/a', 'EACCES').files,
    list: (directory) => open.list(directory),
  };
  const problems = await checkLogFiles('/data', undefined, files);
  assert.deepEqual(
    problems.map(({ part, name }) => [part, name]),
    [['log', 'a']],
  );
});

test('[FS15] a projection that may not be read is absent, and is replaced by the next', async () => {
  const disk = new SimulatedFiles(Math.random);
  const { epoch } = await twoLogs(disk);
  const { files } = withClosed(disk.boot(), '/data/a/projection-state.jsonl', 'EACCES');
  const store = await openFileSystemStore({ directory: '/data', files });
  assert.equal(await store.readProjection('a', 'state'), undefined);
  const put = [{ key: 'head', text: 'a again' }];
  assert.equal(await store.writeProjection('a', 'state', { epoch, seq: 2, base: 2, put, drop: [] }), false);
  assert.equal(await store.writeProjection('a', 'state', { epoch, seq: 2, base: undefined, put, drop: [] }), true);
  assert.deepEqual(
    (await checkLogFiles('/data', undefined, files)).map(({ part, name }) => [part, name]),
    [['projection', 'a']],
  );
});

/** Makes two logs of two records each, and projections of them. */
async function twoLogs(disk: SimulatedFiles): Promise<{ epoch: string; other: string }> {
  const store = await openFileSystemStore({ directory: '/data', files: disk.boot() });
  const fill = async (log: string): Promise<string> => {
    const epoch = await begin(store, log, ['one']);
    await store.append(log, { ...request(epoch, 1, ['two']), head: { time: 1, text: `of ${log}` } });
    const put = [{ key: 'head', text: log }];
    await store.writeProjection(log, 'state', { epoch, seq: 2, base: undefined, put, drop: [] });
    return epoch;
  };
  const epochs = { epoch: await fill('a'), other: await fill('b') };
  await store.close();
  return epochs;
}

/** A file system on which the files of a folder may be used by callers that know their names. */
function withUnlisted(files: FilesPort, folder: string): FilesPort {
  return {
    ...withClosed(files, folder, 'EACCES').files,
    read: (path, from, to) => files.read(path, from, to),
    open: (path, how) => files.open(path, how),
  };
}

/** A file system on which a file, or everything in a folder, may not be opened, and what calls tried to change. */
function withClosed(files: FilesPort, closed: string, code: string): { files: FilesPort; tried: string[] } {
  const tried: string[] = [];
  const isClosed = (path: string): boolean => path === closed || path.startsWith(`${closed}/`);
  const guard = <T>(path: string, work: () => Promise<T>): Promise<T> =>
    isClosed(path) ? Promise.reject(Object.assign(new Error(`${code}: no`), { code })) : work();
  const note = <T>(path: string, work: () => Promise<T>): Promise<T> => {
    tried.push(path);
    return work();
  };
  return {
    tried,
    files: {
      list: (path) => guard(path, () => files.list(path)),
      read: (path, from, to) => guard(path, () => files.read(path, from, to)),
      facts: (path) => guard(dirname(path), () => files.facts(path)),
      touch: (path, time) => note(path, () => guard(dirname(path), () => files.touch(path, time))),
      syncDirectory: (path) => guard(path, () => files.syncDirectory(path)),
      async open(path, how) {
        const file = await guard(how === 'create' ? dirname(path) : path, () => files.open(path, how));
        return { ...file, write: (bytes, position) => note(path, () => file.write(bytes, position)) };
      },
      makeDirectory: (path) => note(path, () => guard(dirname(path), () => files.makeDirectory(path))),
      removeDirectory: (path) => note(path, () => guard(dirname(path), () => files.removeDirectory(path))),
      // The permissions of a folder decide about the names in it.
      rename: (from, to) => note(to, () => guard(dirname(to), () => files.rename(from, to))),
      remove: (path) => note(path, () => guard(dirname(path), () => files.remove(path))),
    },
  };
}
