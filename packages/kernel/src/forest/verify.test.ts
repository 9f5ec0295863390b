import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore } from '@loom/stores/memory';
import type { Store } from '../store.ts';
import { Forest } from './forest.ts';
import { user } from './testing/test-root.ts';

function openForest(store: Store, name: string): Forest {
  let [time, ids] = [1_700_000_000_000, 0];
  const clock = { now: () => (time += 1000), after: () => () => {} };
  const next = () => `${name}${String((ids += 1)).padStart(3, '0')}`;
  return new Forest({ store, clock, ids: { next }, snapshotEvery: 4 });
}

/** A conversation with a snapshot and a few changes behind it, and handles that note where its log is read from. */
async function prepare() {
  const store = createMemoryStore();
  const before = openForest(store.share(), 'x');
  const created = await before.createRoot({ agent: 'anna', id: 'r0' });
  assert.ok(created.ok);
  const { root } = created.value;
  const say = async (text: string): Promise<void> => {
    const request = { agent: 'anna', id: text };
    assert.ok((await before.append(request, root, { parent: root, messages: [user(text)] })).ok);
  };
  for (const text of ['one', 'two', 'three', 'four', 'five']) await say(text);
  await before.saveSnapshots();
  await say('behind the snapshot');
  const reads: number[] = [];
  const handle = store.share();
  const read = handle.read.bind(handle);
  const damaged = { from: '', to: '' };
  Reflect.set(handle, 'read', async (log: string, afterSeq: number, ...rest: [number?]) => {
    if (log === root) reads.push(afterSeq);
    const contents = await read(log, afterSeq, ...rest);
    if (log !== root || contents === undefined) return contents;
    const records = contents.records.map((record) => ({
      ...record,
      text: record.text.replace(damaged.from, damaged.to),
    }));
    return { ...contents, records };
  });
  return { root, handle, reads, damaged, forest: openForest(handle, 'y') };
}

test('[FR158] a list verifies a root by its snapshot and what is behind it, and makes no state of them', async () => {
  const { root, forest, reads } = await prepare();
  await forest.verify(root);
  assert.deepEqual([...forest.damaged], []);
  assert.equal(forest.log(root).loaded, undefined);
  assert.ok(reads.length === 1 && (reads[0] ?? 0) > 0, `read after ${reads.join()}`);
});

test('[FR158] damage behind the snapshot is found, and no longer kept in mind once it is mended', async () => {
  const { root, forest, damaged } = await prepare();
  Object.assign(damaged, { from: 'behind', to: 'before' });
  await forest.verify(root);
  assert.equal(forest.damaged.get(root)?.code, 'store-corrupt');
  damaged.from = damaged.to;
  await forest.verify(root);
  assert.deepEqual([...forest.damaged], []);
});

for (const [lost, isLost] of Object.entries({
  'a part of the nodes': (key: string) => key.startsWith('narrow/'),
  'its head': (key: string) => key === 'head',
  'all of it': () => true,
})) {
  test(`[FR158] where a snapshot has lost ${lost}, the whole log is verified`, async () => {
    const { root, forest, handle, reads, damaged } = await prepare();
    const readProjection = handle.readProjection.bind(handle);
    Reflect.set(handle, 'readProjection', async (...args: Parameters<Store['readProjection']>) => {
      const found = await readProjection(...args);
      return found && args[0] === root ? { ...found, parts: found.parts.filter(({ key }) => !isLost(key)) } : found;
    });
    await forest.verify(root);
    assert.deepEqual([reads, [...forest.damaged.keys()]], [[0], []]);
    Object.assign(damaged, { from: 'two', to: 'too' });
    await forest.verify(root);
    assert.deepEqual([...forest.damaged.keys()], [root]);
  });
}

test('[FR158] a root whose log is gone is damaged; one that never was is not', async () => {
  const { root, forest, handle } = await prepare();
  await forest.verify('root-unknown');
  const read = handle.read.bind(handle);
  Reflect.set(handle, 'read', (log: string, afterSeq: number) =>
    log === root ? Promise.resolve(undefined) : read(log, afterSeq),
  );
  Reflect.set(handle, 'readProjection', () => Promise.resolve(undefined));
  await forest.verify(root);
  assert.deepEqual([...forest.damaged.keys()], [root]);
  assert.match(forest.damaged.get(root)?.message ?? '', /its log is gone/u);
});
