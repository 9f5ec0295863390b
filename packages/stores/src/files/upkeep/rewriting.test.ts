import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { LogRewrite, Store } from '@loom/kernel/store';
import { machineFiles } from '../../disk/machine-files.ts';
import { begin, request, texts } from '../../testing/writer.ts';
import { checkLogFiles } from '../index.ts';
import { openFileSystemStore } from '../open.ts';
import type { FilesPort } from '../../disk/files-port.ts';
import { temporaryStore } from '../testing/temporary-store.ts';

const secret = 'SECRET';

function filesWith(path: string, text: string): string[] {
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => statSync(join(path, name)).isFile() && readFileSync(join(path, name)).includes(text));
}

/** Two logs that hold a secret, in every kind of file that there may be beside them, and one that does not. */
async function fill(path: string, store: Store): Promise<void> {
  for (const log of ['a', 'b', 'c']) {
    const word = log === 'c' ? 'plain' : secret;
    const begun = await store.append(log, {
      ...request(undefined, 0, ['one']),
      head: { time: 1, text: `${word}${word}` },
    });
    assert.ok(begun.ok);
    const { epoch } = begun;
    // Shorter than the note before it, whose remains are left behind it.
    assert.ok((await store.append(log, request(epoch, 1, [word]))).ok);
    const put = [{ key: 'k', text: word }];
    await store.writeProjection(log, 'state', { epoch, seq: 2, base: undefined, put, drop: [] });
  }
  await store.close();
  writeFileSync(join(path, 'a', 'log.jsonl.torn-3-00000000'), secret);
  writeFileSync(join(path, 'b', 'log.jsonl.tmp'), secret);
  writeFileSync(join(path, 'b', 'projection-state.jsonl.tmp'), secret);
  appendFileSync(join(path, 'b', 'log.jsonl'), secret);
  // A torn write anywhere may be a copy of it.
  appendFileSync(join(path, 'c', 'log.jsonl'), secret);
}

/** Rewrites logs as a process does that may be gone afterwards; returns true if they were as expected. */
async function rewrite(directory: string, rewrites: readonly LogRewrite[], files = machineFiles): Promise<boolean> {
  const store = await openFileSystemStore({ directory, files });
  try {
    return await store.rewrite(rewrites);
  } finally {
    await store.close();
  }
}

/** Plans the rewrites that are left, judging by the logs. */
async function plan(store: Store): Promise<LogRewrite[]> {
  const rewrites: LogRewrite[] = [];
  for (const log of await store.logs()) {
    const { epoch = '', records = [] } = (await store.read(log, 0)) ?? {};
    if (!records.some(({ text }) => text === secret)) continue;
    rewrites.push({ log, epoch, lastSeq: 2, records: records.map(({ seq }) => ({ seq, text: `█${seq}` })) });
  }
  await store.close();
  return rewrites;
}

test('[FS18] what was in rewritten logs is in no file any more; the others stay, and so do their projections', async (t) => {
  const { path, open } = temporaryStore(t);
  await fill(path, await open());
  const rewrites = await plan(await open());
  assert.deepEqual(
    rewrites.map(({ log }) => log),
    ['a', 'b'],
  );
  await rewrite(path, rewrites);
  assert.deepEqual(filesWith(path, secret), []);
  const store = await open();
  assert.deepEqual(await texts(store, 'a'), ['█1', '█2']);
  assert.deepEqual(await texts(store, 'c'), ['one', 'plain']);
  assert.notEqual((await store.read('a', 0))?.epoch, rewrites[0]?.epoch);
  assert.equal(await store.readProjection('a', 'state'), undefined);
  assert.equal((await store.readProjection('c', 'state'))?.seq, 2);
});

test('[FS18] a rewriting that leaves something behind would be found out', async (t) => {
  const { path, open } = temporaryStore(t);
  await fill(path, await open());
  rmSync(join(path, 'b'), { recursive: true });
  const forgetful: FilesPort = { ...machineFiles, remove: () => Promise.resolve() };
  await rewrite(path, await plan(await open()), forgetful);
  const left = ['a/log.jsonl.acknowledged', 'a/log.jsonl.torn-3-00000000', 'a/projection-state.jsonl'];
  assert.deepEqual(filesWith(path, secret).sort(), left);
});

test('[FS18] cut short at any call each log is as it was or rewritten, and doing it again completes it', async (t) => {
  for (let failing = 0; ; failing += 1) {
    const { path, open } = temporaryStore(t);
    await fill(path, await open());
    const port = failAt(failing);
    const isDone = await rewrite(path, await plan(await open()), port).then(
      () => true,
      () => false,
    );
    const store = await open();
    for (const log of ['a', 'b']) {
      const found = (await texts(store, log))?.join() ?? '';
      assert.ok(found === `one,${secret}` || found === '█1,█2', found);
    }
    await rewrite(path, await plan(store));
    assert.deepEqual(filesWith(path, secret), [], `call ${failing}`);
    if (!isDone) continue;
    assert.ok(failing > 20, `${failing} calls`);
    return;
  }
});

/** A file system that is gone from a call on. */
function failAt(call: number): FilesPort {
  let calls = 0;
  const next = (): void => {
    calls += 1;
    if (calls > call) throw Object.assign(new Error('gone'), { code: 'EIO' });
  };
  return {
    ...machineFiles,
    list: async (path) => (next(), machineFiles.list(path)),
    read: async (path, from, to) => (next(), machineFiles.read(path, from, to)),
    syncDirectory: async (path) => (next(), machineFiles.syncDirectory(path)),
    rename: async (from, to) => (next(), machineFiles.rename(from, to)),
    remove: async (path) => (next(), machineFiles.remove(path)),
    open: async (path, how) => (next(), machineFiles.open(path, how)),
  };
}

test('[FS18] a log that another process has written to meanwhile is left as it is', async (t) => {
  const { path, open } = temporaryStore(t);
  await fill(path, await open());
  const rewrites = await plan(await open());
  const store = await open();
  const epoch = rewrites[1]?.epoch;
  await store.append('b', request(epoch, 2, ['more']));
  await store.close();
  assert.equal(await rewrite(path, rewrites), false);
  assert.deepEqual(await texts(await open(), 'a'), ['one', secret]);
  const short = rewrites.slice(0, 1).map((rewrite) => ({ ...rewrite, records: [] }));
  await assert.rejects(rewrite(path, short), RangeError);
});

test('[FS19] everything that is not as it should be is named, and nothing changed', async (t) => {
  const { path, open } = temporaryStore(t);
  const store = await open();
  for (const log of ['cut', 'damaged', 'done-without', 'lost', 'sound', 'stale', 'torn', 'wrong']) {
    const epoch = await begin(store, log, ['one']);
    await store.append(log, request(epoch, 1, [log === 'wrong' ? 'bad' : 'two']));
    const put = [{ key: 'k', text: 'v' }];
    await store.writeProjection(log, 'state', { epoch, seq: 2, base: undefined, put, drop: [] });
  }
  await store.nextClientId();
  await store.close();
  assert.deepEqual(await checkLogFiles(path), []);
  const edit = (file: string, change: (text: string) => string): void =>
    writeFileSync(join(path, file), change(readFileSync(join(path, file), 'utf8')));
  edit('damaged/log.jsonl', (text) => text.replace('"one"', '"two"'));
  for (const log of ['cut', 'done-without', 'lost']) edit(`${log}/log.jsonl`, (text) => text.slice(0, -2));
  rmSync(join(path, 'done-without/log.jsonl.acknowledged'));
  edit('lost/log.jsonl.acknowledged', () => '');
  edit('stale/projection-state.jsonl', (text) => text.slice(0, -2));
  edit('torn/log.jsonl', (text) => `${text}{"crc"`);
  edit('client-ids.json', (text) => text.replace(/\d/u, 'x'));
  const found = await checkLogFiles(path, (text) => (text === 'bad' ? 'it is bad' : undefined));
  assert.deepEqual(
    found.map(({ part, name }) => `${part} ${name}`),
    [
      'log cut',
      'log damaged',
      // Without the note, the last change is done without. Its projection is reported, and is made again.
      'torn done-without',
      'projection done-without',
      // The last change is gone, and the note, too; its projection shows that it was acknowledged.
      'torn lost',
      'log lost',
      'projection stale',
      'torn torn',
      'log wrong',
      'file client-ids.json',
    ],
  );
});
