import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { createMemoryStore } from '@loom/stores/memory';
import { Random } from '../testing/index.ts';
import { RequestIndex } from '../state/request-index.ts';
import { passOn } from '../store.ts';
import type { Store } from '../store.ts';
import { Forest } from './forest.ts';
import { forestLogName } from '../log/codec/forest-codec.ts';

function openForest(store: Store, name: string): Forest {
  let ids = 0;
  const clock = { now: () => 1, after: () => () => {} };
  return new Forest({ store, clock, ids: { next: () => `${name}${String((ids += 1)).padStart(4, '0')}` } });
}

/** A process that creates conversations, and the places in the list from which it read. */
function openProcess(shared: Store, name: string, beforeAppend: () => Promise<void> = () => Promise.resolve()) {
  const reads: number[] = [];
  let requests = 0;
  const store: Store = {
    ...passOn(shared),
    read: (log, after, through) => {
      if (log === forestLogName) reads.push(after);
      return shared.read(log, after, through);
    },
    async append(log, request) {
      if (log === forestLogName) await beforeAppend();
      return shared.append(log, request);
    },
  };
  const forest = openForest(store, name);
  const by = () => ({ agent: name, id: `${name} ${(requests += 1)}` });
  const create = async (key?: string): Promise<string> => {
    const created = await (key === undefined
      ? forest.createRoot(by())
      : forest.getOrCreateRoot(by(), { systemPrompt: key }));
    assert.ok(created.ok, JSON.stringify(created));
    return created.value.root;
  };
  return { forest, create, reads };
}

test('[PG37] a process that is overtaken while it lists a conversation reads what the other one listed, and nothing else', async () => {
  const shared = createMemoryStore();
  const other = openProcess(shared, 'o');
  let isRacing = false;
  const own = openProcess(shared, 'p', async () => {
    if (isRacing) await other.create();
    isRacing = false;
  });
  for (let count = 0; count < 50; count += 1) await own.create();
  own.reads.length = 0;
  isRacing = true;
  await own.create();
  assert.equal(own.reads.includes(0), false, `read from ${own.reads.join()}`);
  assert.deepEqual(await own.forest.roots(), await openForest(shared, 'x').roots());
  assert.equal((await own.forest.roots()).length, 52);
});

test('[PG37] of processes that look for one conversation by its config at once, all get the same one', async () => {
  const random = new Random(3);
  for (let round = 0; round < 20; round += 1) {
    const shared = createMemoryStore();
    const processes = ['a', 'b', 'c'].map((name) =>
      openProcess(shared, name, async () => {
        for (let left = random.below(30); left > 0; left -= 1) await Promise.resolve();
      }),
    );
    for (const key of ['x', 'y', 'x']) {
      const found = await Promise.all(processes.flatMap(({ create }) => [create(key), create()]));
      const keyed = found.filter((_root, index) => index % 2 === 0);
      assert.equal(new Set(keyed).size, 1, keyed.join());
    }
    const fresh = await openForest(shared, 'z').roots();
    assert.equal(fresh.length, 2 + 9);
    for (const { forest } of processes) assert.deepEqual(await forest.roots(), fresh);
  }
});

test('[PG37] a request that is taken out of the index is not found, and every other one is', () => {
  const requests = fc.uniqueArray(fc.nat({ max: 500 }), { maxLength: 200 });
  fc.assert(
    fc.property(requests, requests, (noted, forgotten) => {
      const index = new RequestIndex();
      for (const number of noted) index.note('a', String(number), number + 1);
      for (const number of forgotten) index.forget('a', String(number));
      const left = new Set(noted).difference(new Set(forgotten));
      for (let number = 0; number <= 500; number += 1) {
        assert.equal(index.find('a', String(number)), left.has(number) ? number + 1 : undefined);
      }
      assert.equal(index.size, left.size);
    }),
  );
});
