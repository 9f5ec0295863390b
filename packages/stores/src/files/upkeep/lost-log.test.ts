import assert from 'node:assert/strict';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { seededRandom } from '@loom/kernel/testing';
import { SimulatedFiles } from '../../testing/simulated-files.ts';
import { begin, request, texts } from '../../testing/writer.ts';
import { checkLogFiles, holdsLogFiles, openFileSystemReader, openFileSystemStore } from '../index.ts';
import type { LostLog } from '../index.ts';
import { temporaryStore } from '../testing/temporary-store.ts';

test('[FS23] a log that is gone while its note stays is lost: all are told, and the loss is kept when another is begun', async (t) => {
  const { path, log, backup } = await lostLog(t);
  const told: LostLog[] = [];
  const tell = (lost: LostLog): void => void told.push(lost);
  const reader = openFileSystemReader({ directory: path, lost: tell });
  for (const name of ['a', 'a', 'none', 'b']) await reader.read(name, 0);
  assert.deepEqual(told, [{ log: 'a', seq: 3, epoch: told[0]?.epoch ?? assert.fail('no epoch') }]);
  assert.deepEqual(readdirSync(join(path, 'a')), ['log.jsonl.acknowledged'], 'looking has changed something');
  assert.match((await lossesIn(path)).join(), /^a: .*log\.jsonl is gone, and change 3 of it had been acknowledged/u);
  assert.equal(await holdsLogFiles(path), true);

  const store = await openFileSystemStore({ directory: path, lost: tell });
  t.after(() => store.close());
  assert.equal(await texts(store, 'a'), undefined);
  await begin(store, 'a', ['again']);
  assert.equal(told.length, 2);
  const [kept = ''] = readdirSync(join(path, 'a')).filter((name) => name.includes('.lost-3-'));
  const losses = (await lossesIn(path)).join();
  assert.match(losses, /^a: its log was gone, and change 3 of it had been acknowledged/u);
  assert.ok(losses.includes(`remove ${join(path, 'a', kept)}`), losses);
  assert.deepEqual(await texts(reader, 'a'), ['again']);
  assert.equal(told.length, 2, 'what was made again is not lost any more');

  const made = readFileSync(log);
  writeFileSync(log, backup);
  assert.deepEqual(await lossesIn(path), [], 'it is back');
  writeFileSync(log, made);
  assert.equal((await lossesIn(path)).length, 1);
  rmSync(join(path, 'a', kept));
  assert.deepEqual(await lossesIn(path), [], 'a person can do without');
});

test('[FS23] a directory whose logs are all lost is still one of logs in files; without notes it is none', async (t) => {
  const { path } = await lostLog(t);
  rmSync(join(path, 'b/log.jsonl'));
  assert.equal(await holdsLogFiles(path), true);
  for (const log of ['a', 'b']) rmSync(join(path, log, 'log.jsonl.acknowledged'));
  assert.equal(await holdsLogFiles(path), false);
  assert.deepEqual(await lossesIn(path), []);
});

test('[FS20] [FS23] the write that begins a log is noted, too: a log of one write is not lost unnoticed', async (t) => {
  const { path, open } = temporaryStore(t);
  const store = await open();
  await begin(store, 'a', ['one', 'two']);
  await store.close();
  rmSync(join(path, 'a/log.jsonl'));
  assert.match((await lossesIn(path)).join(), /^a: .* change 2 /u);
});

test('[FS23] a log that is back stays back when it is rewritten, and a rewritten one is known when it is put back', async (t) => {
  const { path, log, backup } = await lostLog(t);
  const rewrite = async (): Promise<void> => {
    const store = await openFileSystemStore({ directory: path });
    const { epoch = '' } = (await store.read('a', 0)) ?? {};
    const records = [1, 2, 3].map((seq) => ({ seq, text: 'purged' }));
    assert.equal(await store.rewrite([{ log: 'a', epoch, lastSeq: 3, records }]), true);
    await store.close();
  };
  const beginAnother = async (): Promise<void> => {
    const store = await openFileSystemStore({ directory: path });
    await begin(store, 'a', ['again']);
    await store.close();
    assert.equal((await lossesIn(path)).length, 1);
  };
  await beginAnother();
  writeFileSync(log, backup);
  await rewrite();
  assert.deepEqual(await lossesIn(path), [], 'nothing was lost');

  const rewritten = readFileSync(log);
  rmSync(log);
  await beginAnother();
  writeFileSync(log, rewritten);
  assert.deepEqual(await lossesIn(path), [], 'it is back');
});

test('[FS23] whatever call a crash or a power cut comes at, the loss is known afterwards', async () => {
  let crashes = 0;
  const { calls } = await lostOnDisk({});
  for (const power of ['stays', 'is cut']) {
    for (let after = 1; ; after += 1) {
      const disk = await lostOnDisk({ crashAt: calls + after });
      await beginAgain(disk).catch(() => undefined);
      if (!disk.crashed) break;
      crashes += 1;
      if (power === 'is cut') disk.cutPower();
      const problems = await checkLogFiles('/data', undefined, disk.boot());
      assert.ok(
        problems.some(({ part, name }) => part === 'lost' && name === 'a'),
        `the power ${power}, ${after} calls after the beginning`,
      );
    }
  }
  assert.ok(crashes > 40, `${crashes}`);
});

/** Two logs, one of which was deleted, but not its note. */
async function lostLog(t: TestContext): Promise<{ path: string; log: string; backup: Uint8Array }> {
  const { path, open } = temporaryStore(t);
  const store = await open();
  const epoch = await begin(store, 'a', ['one']);
  await store.append('a', request(epoch, 1, ['two', 'three']));
  await begin(store, 'b', ['other']);
  await store.close();
  const log = join(path, 'a/log.jsonl');
  const backup = readFileSync(log);
  rmSync(log);
  return { path, log, backup };
}

/** A disk on which a log is lost. */
async function lostOnDisk(plan: { crashAt?: number }): Promise<SimulatedFiles> {
  const disk = new SimulatedFiles(seededRandom(plan.crashAt ?? 0), plan);
  const files = disk.boot();
  const store = await openFileSystemStore({ directory: '/data', files });
  await begin(store, 'a', ['one']);
  await store.close();
  // Late enough for the system to have written the note.
  const note = await files.open('/data/a/log.jsonl.acknowledged', 'change');
  await note.sync();
  await files.remove('/data/a/log.jsonl');
  await files.syncDirectory('/data/a');
  return disk;
}

async function beginAgain(disk: SimulatedFiles): Promise<void> {
  const store = await openFileSystemStore({ directory: '/data', files: disk.boot() });
  const epoch = await begin(store, 'a', ['again']);
  await store.append('a', request(epoch, 1, ['and again']));
}

async function lossesIn(path: string): Promise<string[]> {
  const problems = await checkLogFiles(path);
  return problems.filter(({ part }) => part === 'lost').map(({ name, message }) => `${name}: ${message}`);
}
