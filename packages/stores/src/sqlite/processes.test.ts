import assert from 'node:assert/strict';
import { test } from 'node:test';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Store } from '@loom/kernel/store';
import { keptAlive } from '../testing/kept-alive.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';
import type { Acknowledged } from './testing/writer-process.ts';
import { runWriter } from './testing/writer-process.ts';

/** Asserts that every acknowledged pair is at its place, no pair is torn, and no text is there twice. Returns the number of records. */
async function assertIntact(store: Store, acknowledged: readonly Acknowledged[]): Promise<number> {
  const all: string[] = [];
  for (const log of await store.logs()) {
    const records = (await store.read(log, 0))?.records ?? [];
    for (const { seq, text } of acknowledged.filter((one) => one.log === log)) {
      assert.deepEqual(
        [records[seq - 1]?.text, records[seq]?.text],
        [`${text}first`, `${text}second`],
        `${log} ${seq} was acknowledged`,
      );
    }
    for (const [index, { text }] of records.entries()) {
      const expected = index % 2 === 0 ? /first$/u : /second$/u;
      assert.match(text, expected);
      if (index % 2 === 1) assert.equal(text.replace(/second$/u, 'first'), records[index - 1]?.text, 'a torn pair');
      all.push(`${log} ${text}`);
    }
  }
  assert.equal(new Set(all).size, all.length, 'a text is there twice');
  return all.length;
}

test('[SQ1] after kill -9 at any moment every acknowledged append is there, and none is torn', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const acknowledged = await runWriter(t, { directory: path, name: 'start', count: 5 });
  for (let cycle = 0; cycle < 20; cycle += 1) {
    const name = `cycle-${cycle}`;
    const lines = await runWriter(t, { directory: path, name, count: 10_000, killAfter: 1 + 3 * cycle });
    assert.ok(lines.length > 3 * cycle, 'the writer was killed while it wrote');
    acknowledged.push(...lines);
    const store = await open();
    await assertIntact(store, acknowledged);
    await store.close();
  }
  using database = new DatabaseSync(join(path, 'loom.db'));
  assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
});

test('[SQ2] two processes that make a new database and append to one log lose and double nothing', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const both = ['left', 'right'].map((name) => runWriter(t, { directory: path, name, count: 60 }));
  const acknowledged = (await Promise.all(both)).flat();
  assert.equal(acknowledged.length, 2 * 2 * 60);
  assert.equal(await assertIntact(await open(), acknowledged), 2 * acknowledged.length);
});

test('[SQ3] a listener is woken by an append of another process', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const store = await open();
  const woken = new Promise<void>((resolve) => void store.listen('shared', () => resolve()));
  await runWriter(t, { directory: path, name: 'other', count: 1 });
  await keptAlive(woken, 'no listener was woken');
  assert.equal((await store.read('shared', 0))?.records.length, 2);
});
