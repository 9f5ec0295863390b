import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { StoreError } from '@loom/kernel/store';
import { testStoreContract } from '../../testing/contract.ts';
import { keptAlive } from '../../testing/kept-alive.ts';
import { begin, request, texts, Writer } from '../../testing/writer.ts';
import { Committer } from './committer.ts';
import { Connection } from '../connection.ts';
import { connectDatabase } from '../database.ts';
import { assembleThreadedStore } from '../testing/assembled-store.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import type { WriteWork } from './write-work.ts';

testStoreContract({
  name: 'sqlite, every write in its thread',
  capabilities: { durable: true, shared: true, announcesInProcess: true },
  runs: 3,
  create(t) {
    const { path } = temporaryDirectory(t);
    let now = 1000;
    return {
      open: () => Promise.resolve(assembleThreadedStore(t, path, { now: () => now })),
      passTime: (milliseconds) => void (now += milliseconds),
    };
  },
});

const faultyWriter = new URL('../testing/faulty-writer.ts', import.meta.url);

const failure = (code: StoreError['code'], message: RegExp) => (error: unknown) =>
  error instanceof StoreError && error.code === code && message.test(error.message) && error.advice !== '';

test('[SQ21] while a commit is under way the event loop goes on, and what is committed later waits', async (t) => {
  const { path } = temporaryDirectory(t);
  const store = assembleThreadedStore(t, path, { script: faultyWriter });
  const epoch = await begin(store, 'a', ['one']);
  let isAnswered = false;
  const answer = store.append('a', request(epoch, 1, ['gate'])).finally(() => (isAnswered = true));
  // If it were this thread that waits for the gate, it would never be opened.
  for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  const later = store.append('a', request(epoch, 2, ['three']));
  assert.deepEqual(await texts(store, 'a'), ['one']);
  assert.equal(isAnswered, false);
  writeFileSync(join(path, 'loom.db.gate'), '');
  assert.deepEqual(
    [await answer, await later],
    [
      { ok: true, epoch },
      { ok: true, epoch },
    ],
  );
  assert.deepEqual(await texts(store, 'a'), ['one', 'gate', 'three']);
});

test('[SQ21] a thread that dies fails what it was doing, whether that was done or not, and the next write starts another', async (t) => {
  for (const [fault, left] of [
    ['die before', ['one']],
    ['die after', ['one', 'die after']],
  ] as const) {
    const store = assembleThreadedStore(t, temporaryDirectory(t).path, { script: faultyWriter });
    const epoch = await begin(store, 'a', ['one']);
    const both = [store.nextClientId(), store.append('a', request(epoch, 1, [fault]))];
    for (const one of both) await assert.rejects(one, failure('store-failed', /thread .* has ended/u));
    assert.deepEqual(await texts(store, 'a'), left);
    const next = await store.append('a', request(epoch, left.length, ['next']));
    assert.deepEqual(next, { ok: true, epoch });
    assert.deepEqual(await texts(store, 'a'), [...left, 'next']);
  }
});

test('[SQ21] a thread that cannot start fails the writes that need it, and closing works', async (t) => {
  const store = assembleThreadedStore(t, temporaryDirectory(t).path, {
    script: new URL('./no-such-writer.ts', faultyWriter),
  });
  for (let attempt = 0; attempt < 2; attempt += 1) {
    await assert.rejects(begin(store, 'a', ['one']), failure('store-failed', /no-such-writer/u));
  }
  assert.deepEqual(await store.logs(), []);
  await store.close();
});

test('[SQ21] [SQ6] failures come back from the thread as they are: a full disk, a loss, a mistake in the program', async (t) => {
  const full = assembleThreadedStore(t, temporaryDirectory(t).path, { script: faultyWriter });
  const epoch = await begin(full, 'a', ['one']);
  await assert.rejects(
    full.append('a', request(epoch, 1, [randomBytes(150_000).toString('hex')])),
    failure('store-failed', /full/u),
  );
  assert.deepEqual(await texts(full, 'a'), ['one']);
  await assert.rejects(full.append('a', request(epoch, 5, ['x'])), failure('store-corrupt', /lost records/u));
  assert.deepEqual(await full.append('a', request(epoch, 1, ['two'])), { ok: true, epoch });
  await assert.rejects(begin(full, 'b', ['mistake']), (error) => error instanceof Error && error.message === 'planted');
  assert.equal(await texts(full, 'b'), undefined);
  await begin(full, 'b', ['one']);
});

test('[SQ3] the commits of the own thread wake no listener a second time; those of others do', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const store = assembleThreadedStore(t, path);
  const writer = new Writer(store, 'a');
  let unknown = 0;
  const woken = new EventEmitter();
  store.listen('a', (seq) => {
    if (seq !== undefined) return;
    unknown += 1;
    woken.emit('others');
  });
  for (let index = 0; index < 300; index += 1) await writer.append([`${index}`]);
  // Once for the database that the thread made, if a look came before it was ready, and once for the first look at its commits.
  assert.ok(unknown <= 2, `${unknown} times`);
  const others = once(woken, 'others');
  await new Writer(await open(), 'a').append(['of another']);
  await keptAlive(others, 'no listener was woken');
});

test('[SQ22] the first small commits are made on the spot, then the thread is started, and takes over when it is there', async (t) => {
  const connection = new Connection(() => connectDatabase(join(temporaryDirectory(t).path, 'loom.db')));
  t.after(() => connection.close());
  const calls: string[] = [];
  const thread = {
    isReady: false,
    start: () => void calls.push('start'),
    commit: (works: readonly WriteWork[]) => {
      calls.push('commit');
      return Promise.resolve(works.map(() => 0));
    },
    close: () => Promise.resolve(void calls.push('close')),
  };
  const committer = new Committer(connection, thread);
  const commit = (size: number) => committer.commit([{ type: 'client-id', above: 1 }], size);
  for (let id = 2; id < 18; id += 1) assert.deepEqual(await commit(100), [id]);
  assert.deepEqual(calls, []);
  assert.deepEqual(await commit(100), [18]);
  assert.deepEqual(calls, ['start']);
  assert.deepEqual(await commit(5_000_000), [0], 'a large one waits for the thread');
  assert.deepEqual(await commit(100), [19], 'a small one does not');
  thread.isReady = true;
  assert.deepEqual(await commit(100), [0]);
  await committer.close();
  assert.deepEqual(calls, ['start', 'commit', 'start', 'commit', 'close']);
});

test('[SQ22] closing ends the thread after its work and leaves nothing but loom.db and its note, also while the thread starts', async (t) => {
  for (const count of [18, 100]) {
    const { path, open } = temporaryDirectory(t);
    const store = await open();
    const writer = new Writer(store, 'a');
    for (let index = 1; index < count; index += 1) await writer.append([`${index}`]);
    const last = writer.append(['last']);
    await Promise.all([last, store.close()]);
    assert.deepEqual(readdirSync(path).toSorted(), ['loom.db', 'loom.db.acknowledged']);
    assert.equal((await texts(await open(), 'a'))?.length, count);
  }
});

test('[SQ22] a process may end without closing its store; it waits for the answers that are due', (t) => {
  for (const count of [1, 60]) {
    const { path } = temporaryDirectory(t);
    const script = fileURLToPath(import.meta.resolve('../testing/unclosed-store.ts'));
    const { stdout, stderr, status } = spawnSync(process.execPath, [script, path, `${count}`], { encoding: 'utf8' });
    assert.deepEqual({ stdout, stderr, status }, { stdout: `acknowledged ${count}\n`, stderr: '', status: 0 });
    using database = new DatabaseSync(join(path, 'loom.db'));
    assert.equal(database.prepare('SELECT count(*) AS count FROM records').get()?.['count'], count);
  }
});

test('[SQ23] a long log or projection is read in pieces between which the event loop has its turn, and as it was at one moment', async (t) => {
  const store = await temporaryDirectory(t).open();
  const all = Array.from({ length: 1000 }, (_, index) => `record ${index}`);
  const epoch = await begin(store, 'a', all);
  const put = all.map((text) => ({ key: text, text }));
  await store.writeProjection('a', 'state', { epoch, seq: 1, base: undefined, put, drop: [] });
  let turns = 0;
  const done = new Set<string>();
  const reading = Promise.all([store.read('a', 0), store.readProjection('a', 'state')]).finally(() => done.add('read'));
  // The reads have begun by now, and see nothing of the later changes.
  await setImmediate();
  const changes = [
    store.fold('a', { epoch, first: 2, record: { seq: 1000, text: 'folded' } }),
    store.writeProjection('a', 'state', { epoch, seq: 2, base: undefined, put: [], drop: [] }),
  ];
  while (done.size === 0) {
    turns += 1;
    await setImmediate();
  }
  const [log, projection] = await reading;
  assert.deepEqual(await Promise.all(changes), [true, true]);
  assert.ok(turns >= 5, `${turns} turns`);
  assert.deepEqual(
    log?.records.map(({ text }) => text),
    all,
  );
  assert.deepEqual(
    projection?.parts.map(({ text }) => text),
    all.sort(),
  );
  assert.deepEqual(await texts(store, 'a'), [all[0], 'folded']);
});
