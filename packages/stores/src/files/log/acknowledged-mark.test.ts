import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Store } from '@loom/kernel/store';
import { StoreError } from '@loom/kernel/store';
import { seededRandom } from '@loom/kernel/testing';
import { SimulatedFiles } from '../../testing/simulated-files.ts';
import { begin, request, texts } from '../../testing/writer.ts';
import { openFileSystemReader, openFileSystemStore } from '../index.ts';
import type { TornWrite } from '../index.ts';
import { temporaryStore } from '../testing/temporary-store.ts';

/** A log that began with one record and got another write of two, closed. */
async function fillLog(store: Store): Promise<string> {
  const epoch = await begin(store, 'a', ['one']);
  await store.append('a', request(epoch, 1, ['two', 'three']));
  await store.close();
  return epoch;
}

test('[FS20] damage to the last write is reported and not taken for one that was cut short, and nothing is changed', async (t) => {
  const { path, open } = temporaryStore(t);
  const epoch = await fillLog(await open());
  const file = join(path, 'a', 'log.jsonl');
  const whole = readFileSync(file);
  const start = whole.indexOf('\n', whole.indexOf('\n') + 1) + 1;
  for (let position = start; position < whole.length; position += 1) {
    const flipped = Uint8Array.from(whole);
    flipped[position] = (flipped[position] ?? 0) ^ (1 << (position % 8));
    for (const damage of [flipped, whole.subarray(0, position)]) {
      writeFileSync(file, damage);
      const store = await open();
      await assert.rejects(store.read('a', 0), { code: 'store-corrupt' });
      await assert.rejects(store.append('a', request(epoch, 1, ['other'])), { code: 'store-corrupt' });
      await store.close();
      assert.deepEqual(readFileSync(file), Buffer.from(damage));
    }
  }
  const reader = openFileSystemReader({ directory: path });
  t.after(() => reader.close());
  await assert.rejects(reader.read('a', 0), { code: 'store-corrupt' });
});

test('[FS20] without the note the same damage looks like a write that was cut short: its bytes are put aside, and told', async (t) => {
  const { path, open } = temporaryStore(t);
  const epoch = await fillLog(await open());
  const file = join(path, 'a', 'log.jsonl');
  writeFileSync(file, readFileSync(file, 'utf8').replace('three', 'eerht'));
  const refused = await open();
  await assert.rejects(refused.read('a', 0), { code: 'store-corrupt', advice: /log\.jsonl\.acknowledged/u });
  await refused.close();
  rmSync(`${file}.acknowledged`);
  const told: TornWrite[] = [];
  const store = await openFileSystemStore({ directory: path, torn: (torn) => void told.push(torn) });
  t.after(() => store.close());
  assert.deepEqual(await texts(store, 'a'), ['one']);
  await store.append('a', request(epoch, 1, ['other']));
  assert.match(readFileSync(told[0]?.kept ?? '', 'utf8'), /eerht/u);
});

test('[FS20] a note that is damaged, of another log or of less than there is says nothing', async (t) => {
  const { path, open } = temporaryStore(t);
  await fillLog(await open());
  const note = join(path, 'a', 'log.jsonl.acknowledged');
  const whole = readFileSync(note, 'utf8');
  const first = await open();
  const other = await begin(first, 'b', ['one']);
  await first.append('b', request(other, 1, ['two', 'three', 'four', 'five']));
  await first.close();
  const notes = ['', '\n', 'x', whole.replace('3}', '9}'), whole.slice(0, -3), `\u{feff}${whole}`, `${whole}more\n`];
  notes.push(readFileSync(join(path, 'b', 'log.jsonl.acknowledged'), 'utf8'));
  for (const text of notes) {
    writeFileSync(note, text);
    const store = await open();
    assert.deepEqual(await texts(store, 'a'), ['one', 'two', 'three'], JSON.stringify(text));
    await store.close();
  }
});

test('[FS20] a process that cannot write the note has written all the same', async () => {
  const files = new SimulatedFiles(Math.random).boot();
  const store = await openFileSystemStore({
    directory: '/data',
    files: {
      ...files,
      open: (path, how) =>
        path.endsWith('.acknowledged') ? Promise.reject(new Error('no room')) : files.open(path, how),
    },
  });
  const epoch = await begin(store, 'a', ['one']);
  assert.deepEqual(await store.append('a', request(epoch, 1, ['two'])), { ok: true, epoch });
});

test('[FS20] damage to what was acknowledged before a kill is always found, and before a power cut never silent', async () => {
  const seen = new Set<string>();
  for (const power of ['stays', 'is cut']) {
    for (let crashAt = 20; crashAt <= 60; crashAt += 1) {
      for (let seed = 1; seed <= 4; seed += 1) {
        const disk = new SimulatedFiles(seededRandom(seed * 1000 + crashAt), { crashAt });
        const acknowledged = await writeUntilCrash(disk);
        if (power === 'is cut') disk.cutPower();
        await flipByte(disk, acknowledged, seed);
        const found = await openDamaged(disk, acknowledged);
        seen.add(`the power ${power}: ${found}`);
      }
    }
  }
  assert.deepEqual([...seen].sort(), [
    'the power is cut: corrupt',
    'the power is cut: told',
    'the power stays: corrupt',
  ]);
});

/** Appends one record after the other, of more than a sector; returns the number acknowledged. */
async function writeUntilCrash(disk: SimulatedFiles): Promise<number> {
  const store = await openFileSystemStore({ directory: '/data', files: disk.boot() });
  const epoch = await begin(store, 'a', ['1']);
  for (let seq = 2; ; seq += 1) {
    try {
      await store.append('a', request(epoch, seq - 1, [`${seq}`.repeat(700)]));
    } catch {
      return seq - 1;
    }
    // A process that is dead by now cannot have answered.
    if (disk.crashed) return seq - 1;
  }
}

/** One byte of the record with a seq is another. */
async function flipByte(disk: SimulatedFiles, seq: number, random: number): Promise<void> {
  const files = disk.boot();
  const bytes = await files.read('/data/a/log.jsonl');
  const position = Buffer.from(bytes).indexOf(`"seq":${seq},`) + 10 + random;
  const file = await files.open('/data/a/log.jsonl', 'change');
  await file.write(Uint8Array.of((bytes[position] ?? 0) ^ 1), position);
  await file.sync();
}

async function openDamaged(disk: SimulatedFiles, acknowledged: number): Promise<'corrupt' | 'told'> {
  const told: TornWrite[] = [];
  const store = await openFileSystemStore({
    directory: '/data',
    files: disk.boot(),
    torn: (torn) => void told.push(torn),
  });
  try {
    const { epoch, records } = (await store.read('a', 0)) ?? assert.fail('the log is gone');
    assert.equal(records.length, acknowledged - 1);
    await store.append('a', request(epoch, acknowledged - 1, ['other']));
    assert.equal(told.length, 1, 'what was acknowledged has vanished without a report');
    return 'told';
  } catch (error) {
    assert.ok(error instanceof StoreError && error.code === 'store-corrupt', String(error));
    return 'corrupt';
  }
}
