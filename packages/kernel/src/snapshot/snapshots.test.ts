import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedEvent, FeedItem } from '@loom/kernel';
import type { Store } from '@loom/kernel/store';
import { Forest } from '@loom/kernel/logs';
import { StoreError } from '@loom/kernel/store';
import { createMemoryStore } from '@loom/stores/memory';
import { wholeState } from '../forest/testing/observation.ts';
import { user } from '../forest/testing/test-root.ts';
import { VirtualClock } from '../testing/virtual-clock.ts';
import { countingIds } from '../testing/world.ts';

const ids = countingIds();
const request = () => ({ agent: 'anna', id: ids.next() });

function open(store: Store, snapshotEvery = 10): Forest {
  return new Forest({ store, clock: new VirtualClock(), ids, snapshotEvery });
}

async function rootWith(forest: Forest, messages: number): Promise<string> {
  const created = await forest.createRoot(request());
  if (!created.ok) assert.fail(JSON.stringify(created.refusal));
  await say(forest, created.value.root, messages);
  return created.value.root;
}

async function say(forest: Forest, root: string, messages: number): Promise<void> {
  for (let said = 0; said < messages; said += 1) {
    const outcome = await forest.append(request(), root, { parent: root, messages: [user(`said ${ids.next()}`)] });
    assert.ok(outcome.ok);
  }
}

/** Reads nothing of a log but the tail behind a seq, and counts how much. */
function watchReads(store: Store): { after: number[] } {
  const read = store.read.bind(store);
  const seen: { after: number[] } = { after: [] };
  Reflect.set(store, 'read', (log: string, afterSeq: number, throughSeq?: number) => {
    if (log.startsWith('root-')) seen.after.push(afterSeq);
    return read(log, afterSeq, throughSeq);
  });
  return seen;
}

test('[SN4] a snapshot is made every so many changes, and at the end if it is worth it', async () => {
  const store = createMemoryStore();
  const forest = open(store);
  const root = await rootWith(forest, 25);
  const snapshotSeq = async () => (await store.readProjection(root, 'state'))?.seq;
  const seq = (await snapshotSeq()) ?? 0;
  assert.ok(seq >= 10 && seq <= 26, `it is at ${seq}`);
  await forest.saveSnapshots();
  assert.equal(await snapshotSeq(), 26);
  await say(forest, root, 2);
  const seen = watchReads(store);
  const again = await open(store).log(root).state();
  assert.deepEqual(seen.after, [26], 'only the tail is read');
  assert.deepEqual(wholeState(again), wholeState(await forest.log(root).state()));
});

test('[SN4] a process that has just loaded a log with much behind its snapshot answers before it makes another one', async () => {
  const store = createMemoryStore();
  const root = await rootWith(open(store, 1_000_000), 200);
  const forest = open(store, 128);
  await say(forest, root, 1);
  await forest.log(root).state();
  assert.equal(await store.readProjection(root, 'state'), undefined);
  await say(forest, root, 1);
  await forest.log(root).state();
  assert.equal((await store.readProjection(root, 'state'))?.seq, 203, 'two are a sixty-fourth of 128');
});

test('[SN33] while many changes come at once a snapshot waits for eight times as many, and is made when the rush is over', async () => {
  const store = createMemoryStore();
  const forest = open(store, 10);
  const root = await rootWith(forest, 0);
  const rush = async (count: number): Promise<void> => {
    await Promise.all(Array.from({ length: count }, () => say(forest, root, 1)));
    await forest.log(root).state();
  };
  const snapshotSeq = async () => (await store.readProjection(root, 'state'))?.seq;
  await rush(40);
  assert.equal(await snapshotSeq(), undefined);
  await forest.log(root).saveSnapshot({ onlyDue: true });
  assert.equal(await snapshotSeq(), 41);
  await rush(8);
  await forest.log(root).saveSnapshot({ onlyDue: true });
  assert.equal(await snapshotSeq(), 41, 'fewer than make one at other times');
  await rush(80);
  assert.equal(await snapshotSeq(), 129);
});

test('[SN4] a few long changes are worth a snapshot, a few short ones are not', async () => {
  const store = createMemoryStore();
  const forest = open(store, 1000);
  const [short, long] = [await rootWith(forest, 3), await rootWith(forest, 3)];
  const messages = [user('x'.repeat(20_000))];
  assert.ok((await forest.append(request(), long, { parent: long, messages })).ok);
  await forest.saveSnapshots();
  assert.equal(await store.readProjection(short, 'state'), undefined);
  assert.equal((await store.readProjection(long, 'state'))?.seq, 5);
});

test('[SN4] a store that forgets gets no snapshots unless the caller asks for them', async () => {
  const store = createMemoryStore();
  const forest = new Forest({ store, clock: new VirtualClock(), ids });
  const root = await rootWith(forest, 3);
  await forest.saveSnapshots();
  assert.equal(await store.readProjection(root, 'state'), undefined);
});

test('[SN12] a process that only reads uses the snapshots of others and makes none', async () => {
  const store = createMemoryStore();
  const forest = open(store);
  const root = await rootWith(forest, 30);
  await forest.saveSnapshots();
  await say(forest, root, 5);
  await forest.log(root).state();
  const { after } = watchReads(store);
  const looking = new Forest({ store, clock: new VirtualClock(), ids, snapshotEvery: Infinity, usesSnapshots: true });
  const seq = (await store.readProjection(root, 'state'))?.seq ?? 0;
  assert.deepEqual(wholeState(await looking.log(root).state()), wholeState(await forest.log(root).state()));
  await looking.saveSnapshots();
  assert.deepEqual([after, (await store.readProjection(root, 'state'))?.seq], [[seq], seq]);
});

test('[SN3] a snapshot of another epoch, and one that is not whole, is not used', async () => {
  for (const spoil of ['epoch', 'part'] as const) {
    const store = createMemoryStore();
    const forest = open(store);
    const root = await rootWith(forest, 12);
    await forest.saveSnapshots();
    const read = store.readProjection.bind(store);
    Reflect.set(store, 'readProjection', async (...args: Parameters<typeof read>) => {
      const found = await read(...args);
      if (spoil === 'epoch') return found && { ...found, epoch: 'another' };
      return (
        found && { ...found, parts: found.parts.map(({ key, text }) => ({ key, text: text.replace('said', 'sad') })) }
      );
    });
    const again = await open(store).log(root).state();
    assert.deepEqual(wholeState(again), wholeState(await forest.log(root).state()), spoil);
  }
});

test('[SN5] a store that fails at snapshots fails at nothing else', async () => {
  const store = createMemoryStore();
  const fail = () => Promise.reject(new StoreError('store-failed', 'full', 'make room'));
  const write = store.writeProjection.bind(store);
  Reflect.set(store, 'writeProjection', fail);
  const forest = open(store);
  const root = await rootWith(forest, 25);
  await forest.saveSnapshots();
  Reflect.set(store, 'writeProjection', write);
  await forest.saveSnapshots();
  assert.equal((await store.readProjection(root, 'state'))?.seq, 26, 'it is made up for');
  Reflect.set(store, 'readProjection', fail);
  assert.equal((await open(store).log(root).state()).seq, 26);
});

test('[SN6] of two processes only the one that has read the newest snapshot goes on writing them', async () => {
  const store = createMemoryStore();
  const [one, two] = [open(store), open(store)];
  const root = await rootWith(one, 8);
  await two.log(root).state();
  await say(one, root, 10);
  await say(two, root, 30);
  await one.saveSnapshots();
  await two.saveSnapshots();
  const again = await open(store).log(root).state();
  assert.deepEqual(wholeState(again), wholeState(await two.log(root).state()));
  assert.equal(again.seq, 49);
});

test('[SN7] a subscriber hears every change once and in order, also if another process has written a snapshot meanwhile', async () => {
  const store = createMemoryStore();
  const [one, two] = [open(store), open(store, 2)];
  const root = await rootWith(one, 3);
  const heard: number[] = [];
  one.log(root).subscribe((item: FeedItem<FeedEvent>) => heard.push(item.type === 'change' ? item.seq : -1));
  for (let round = 0; round < 10; round += 1) {
    await say(two, root, 3);
    await two.saveSnapshots();
    await say(one, root, 1);
  }
  assert.deepEqual(
    heard,
    Array.from({ length: 40 }, (_, index) => 5 + index),
  );
});

test('[SN8] what was before a snapshot is found all the same', async () => {
  const store = createMemoryStore();
  const forest = open(store);
  const root = await rootWith(forest, 30);
  await forest.saveSnapshots();
  const log = forest.log(root);
  const { epoch } = await log.cursor();
  for (const seq of [0, 5, 26, 31]) {
    assert.equal((await log.past.stateAt(seq)).seq, seq);
    const items = await log.past.replay({ epoch, seq });
    assert.deepEqual(
      items.map((item) => (item.type === 'change' ? item.seq : item.type)),
      Array.from({ length: 31 - seq }, (_, index) => seq + 1 + index),
    );
  }
});

test('[SN11] the list of roots is read from its snapshot, and is the same as without', async () => {
  const store = createMemoryStore();
  const forest = open(store);
  for (let index = 0; index < 30; index += 1) await rootWith(forest, 1);
  await forest.saveSnapshots();
  assert.equal((await store.readProjection('forest', 'state'))?.seq, 30);
  assert.deepEqual(await open(store).roots(), await open(store, Infinity).roots());
});

test('[FC58] what a person has acknowledged is known from the log and from a snapshot, and is noted once', async () => {
  for (const every of [Infinity, 1]) {
    const store = createMemoryStore();
    const first = open(store, every);
    const lost = (seq: number) => new Map([['root-9', { seq }]]);
    assert.ok((await first.acknowledgeLosses(request(), lost(7))).ok);
    await first.saveSnapshots();
    const length = async (): Promise<number> => (await store.read('forest', 0))?.records.at(-1)?.seq ?? 0;
    assert.equal(await length(), 1);
    assert.equal((await store.readProjection('forest', 'state')) === undefined, every === Infinity);
    const later = open(store, every);
    for (const seq of [7, 6]) assert.ok((await later.acknowledgeLosses(request(), lost(seq))).ok);
    assert.equal(await length(), 1);
    assert.ok((await later.acknowledgeLosses(request(), lost(8))).ok);
    assert.equal(await length(), 2);
  }
});
