import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { ListedLog, Store } from '@loom/kernel/store';
import { begin, request } from '../testing/writer.ts';
import { openSqliteStore } from './open.ts';
import { rewriteLogs } from './upkeep/rewrite-log.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';

const all = (store: Store): Promise<ListedLog[]> => store.heads({ order: 'newest', limit: 100 });

test('[SQ36] a head that is damaged, or whose log was rewritten, is none', async (t) => {
  const { path: directory } = temporaryDirectory(t);
  const store = await openSqliteStore({ directory });
  const epochs = new Map<string, string>();
  for (const [time, log] of ['a', 'b', 'c'].entries()) {
    epochs.set(log, await begin(store, log, ['one']));
    const head = { time, text: `of ${log} ${log.repeat(log === 'c' ? 5000 : 5)}` };
    assert.ok((await store.append(log, { ...request(epochs.get(log), 1, ['two']), head })).ok);
  }
  const whole = await all(store);
  assert.deepEqual(
    whole.map(({ log, head }) => [log, head?.time]),
    [
      ['c', 2],
      ['b', 1],
      ['a', 0],
    ],
  );
  await store.close();
  rewriteLogs(directory, [{ log: 'a', epoch: epochs.get('a') ?? '', lastSeq: 2, records: [{ seq: 2, text: 'x' }] }]);
  const database = new DatabaseSync(join(directory, 'loom.db'));
  database.exec("UPDATE heads SET packed = CAST(packed || x'00' AS BLOB) WHERE time = 1");
  database.close();
  const again = await openSqliteStore({ directory });
  assert.deepEqual(await all(again), [whole[0], { log: 'b' }, { log: 'a' }]);
  assert.ok(
    (await again.append('b', { ...request(epochs.get('b'), 2, ['three']), head: { time: 9, text: 'new' } })).ok,
  );
  assert.deepEqual((await all(again))[0], { log: 'b', head: { time: 9, text: 'new' } });
  await again.close();
});

test('[SQ36] through the thread that writes, heads arrive as they were given', async (t) => {
  const { path: directory } = temporaryDirectory(t);
  const store = await openSqliteStore({ directory });
  const epoch = await begin(store, 'a', ['one']);
  for (let seq = 1; seq < 60; seq += 1) {
    const head = seq % 3 === 0 ? { time: seq, text: `head ${seq}` } : 'same';
    assert.ok((await store.append('a', { ...request(epoch, seq, ['more']), head })).ok);
    if (seq >= 3)
      assert.deepEqual(await all(store), [
        { log: 'a', head: { time: seq - (seq % 3), text: `head ${seq - (seq % 3)}` } },
      ]);
  }
  await store.close();
});
