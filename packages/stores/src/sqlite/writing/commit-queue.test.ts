import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { Store } from '@loom/kernel/store';
import { begin, request, texts, Writer } from '../../testing/writer.ts';
import { assembleStore } from '../testing/assembled-store.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';

/** A store that counts its write transactions. */
function countCommits(t: TestContext): { store: Store; commits: () => number } {
  let commits = 0;
  const store = assembleStore(t, temporaryDirectory(t).path, {
    prepare(database) {
      const exec = database.exec.bind(database);
      database.exec = (sql) => {
        if (sql === 'BEGIN IMMEDIATE') commits += 1;
        exec(sql);
      };
      return database;
    },
  });
  return { store, commits: () => commits };
}

test('[SQ4] what is written in one tick, to whatever log, shares one transaction', async (t) => {
  const { store, commits } = countCommits(t);
  await Promise.all([
    ...Array.from({ length: 20 }, (_, index) => begin(store, `log ${index}`, ['one'])),
    store.lease('turn', 'one', 1000),
    store.nextClientId(),
  ]);
  assert.equal(commits(), 1);
});

test('[SQ4] also if the writers come to it after different numbers of promises', async (t) => {
  const { store, commits } = countCommits(t);
  const late = async (index: number): Promise<void> => {
    for (let promise = 0; promise < index; promise += 1) await Promise.resolve();
    await begin(store, `log ${index}`, ['one']);
  };
  await Promise.all([0, 1, 5, 20, 100].map(late));
  assert.equal(commits(), 1);
});

test('[SQ4] so do the next appends of writers that were answered together', async (t) => {
  const { store, commits } = countCommits(t);
  const writers = Array.from({ length: 30 }, (_, index) => new Writer(store, `log ${index}`));
  await Promise.all(
    writers.map(async (writer) => {
      for (let round = 0; round < 5; round += 1) await writer.append([`round ${round}`]);
    }),
  );
  assert.equal(commits(), 5);
});

test('[SQ5] a burst of large appends takes several transactions, in the order in which they were made', async (t) => {
  const { store, commits } = countCommits(t);
  const large = 'x'.repeat(1024 * 1024);
  const epoch = await begin(store, 'a', ['start']);
  const before = commits();
  const answers = await Promise.all(
    Array.from({ length: 9 }, (_, index) => store.append('a', request(epoch, 1 + index, [large]))),
  );
  assert.ok(answers.every(({ ok }) => ok));
  assert.equal(commits() - before, 3);
  await store.append('a', request(epoch, 10, [large.repeat(9)]));
  assert.equal((await texts(store, 'a'))?.at(-1)?.length, 9 * large.length);
});
