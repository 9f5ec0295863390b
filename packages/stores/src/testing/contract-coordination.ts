import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '@loom/kernel/store';
import type { StoreKind } from './contract.ts';
import { keptAlive } from './kept-alive.ts';
import { begin, request, texts } from './writer.ts';

/** Tests what writers use besides logs: wakes, leases, client ids. */
export function testCoordination({ name, capabilities, create }: StoreKind): void {
  const needsShared = capabilities.shared ? false : 'not shared: one handle at a time';

  test(`[ST17] ${name}: a listener is woken by an append to its log, which it can then read`, async (t) => {
    const store = await create(t).open();
    const woken = nextWake(store, 'a');
    const epoch = await begin(store, 'a', ['one']);
    await woken;
    assert.deepEqual(await texts(store, 'a'), ['one']);
    const again = nextWake(store, 'a');
    await store.append('a', request(epoch, 1, ['two']));
    await again;
    assert.deepEqual(await texts(store, 'a'), ['one', 'two']);
  });

  test(`[ST17] ${name}: also by an append through another handle`, { skip: needsShared }, async (t) => {
    const data = create(t);
    const [writer, reader] = [await data.open(), await data.open()];
    const woken = nextWake(reader, 'a');
    const epoch = await begin(writer, 'a', ['one']);
    await woken;
    assert.deepEqual(await texts(reader, 'a'), ['one']);
    const again = nextWake(reader, 'a');
    await writer.append('a', request(epoch, 1, ['two']));
    await again;
    assert.deepEqual(await texts(reader, 'a'), ['one', 'two']);
  });

  test(`[ST18] ${name}: a listener that has stopped is not woken, and others still are`, async (t) => {
    const store = await create(t).open();
    const calls: string[] = [];
    const twice = (): void => void calls.push('twice');
    const stops = [store.listen('a', () => calls.push('stopped')), store.listen('a', twice), store.listen('a', twice)];
    stops[0]?.();
    stops[0]?.();
    stops[1]?.();
    const woken = nextWake(store, 'a');
    await begin(store, 'a', ['one']);
    await woken;
    assert.deepEqual([...new Set(calls)], ['twice']);
    stops[2]?.();
  });

  test(`[ST19] ${name}: a lease has one holder, which may renew it`, async (t) => {
    const data = create(t);
    const first = await data.open();
    const second = capabilities.shared ? await data.open() : first;
    assert.equal(await first.lease('turn', 'one', 1000), true);
    assert.equal(await second.lease('turn', 'two', 1000), false);
    assert.equal(await second.lease('other turn', 'two', 1000), true);
    await data.passTime(900);
    assert.equal(await first.lease('turn', 'one', 1000), true);
    await data.passTime(900);
    assert.equal(await second.lease('turn', 'two', 1000), false);
    const racers = Array.from({ length: 10 }, (_, index) =>
      (index % 2 === 0 ? first : second).lease('new', `${index}`, 1),
    );
    assert.equal((await Promise.all(racers)).filter(Boolean).length, 1);
  });

  test(`[ST20] ${name}: a lease ends when its time is over by the store's clock, to the millisecond`, async (t) => {
    const data = create(t);
    const store = await data.open();
    await store.lease('turn', 'one', 1000);
    await data.passTime(999);
    assert.equal(await store.lease('turn', 'two', 1000), false);
    await data.passTime(1);
    assert.equal(await store.lease('turn', 'two', 1000), true);
    assert.equal(await store.lease('turn', 'one', 1000), false);
    assert.equal(await store.lease('turn', 'two', 0), true);
    assert.equal(await store.lease('turn', 'one', 1000), true);
    for (const time of [-1, Number.NaN, Infinity]) await assert.rejects(store.lease('turn', 'one', time), RangeError);
  });

  test(`[ST21] ${name}: only the holder gives a lease back`, async (t) => {
    const store = await create(t).open();
    await store.lease('turn', 'one', 1000);
    await store.release('turn', 'two');
    await store.release('no such lease', 'two');
    assert.equal(await store.lease('turn', 'two', 1000), false);
    await store.release('turn', 'one');
    assert.equal(await store.lease('turn', 'two', 1000), true);
  });

  test(`[ST49] ${name}: a listener to all logs is woken by an append to any of them`, async (t) => {
    const data = create(t);
    const writer = await data.open();
    const reader = capabilities.shared ? await data.open() : writer;
    const woken = nextWakeOfAny(reader);
    await begin(writer, 'a', ['one']);
    await woken;
    assert.deepEqual(await texts(reader, 'a'), ['one']);
    const logs: (string | undefined)[] = [];
    const stop = writer.listenAll((log) => logs.push(log));
    const calls: string[] = [];
    writer.listenAll(() => calls.push('stopped'))();
    const again = nextWakeOfAny(writer);
    await begin(writer, 'b', ['one']);
    await again;
    assert.ok(logs.includes('b'), 'a handle knows what it has appended to itself');
    assert.deepEqual(calls, []);
    stop();
    stop();
  });

  test(`[ST50] ${name}: what is announced is heard on its channel by all handles, in order, and not kept`, async (t) => {
    const data = create(t);
    const first = await data.open();
    const second = capabilities.shared ? await data.open() : first;
    const over = new Promise<void>((resolve) => second.hear('over', () => resolve()));
    first.announce('presence', 'too early');
    first.announce('over', '');
    // Announcements take a while to other machines; this one has arrived, and nobody listened.
    await keptAlive(over, 'no listener heard what was announced');
    const heard: string[] = [];
    const stops = [first, second].map((store, index) =>
      store.hear('presence', (text) => heard.push(`${index} ${text}`)),
    );
    first.hear('presence', () => heard.push('stopped'))();
    first.hear('other', () => heard.push('other'));
    const last = new Promise<void>((resolve) => second.hear('last', () => resolve()));
    for (const text of ['one', 'two \ud83d\ude00']) first.announce('presence', text);
    first.announce('last', '');
    await keptAlive(last, 'no listener heard what was announced');
    assert.deepEqual(heard.sort(), ['0 one', '0 two \ud83d\ude00', '1 one', '1 two \ud83d\ude00']);
    for (const stop of stops) stop();
  });

  test(`[ST51] ${name}: leases are listed with what is left of them, those that ran out included`, async (t) => {
    const data = create(t);
    const first = await data.open();
    const second = capabilities.shared ? await data.open() : first;
    await first.lease('turn/b/1', 'one', 1000);
    await first.lease('turn/a/2', 'two', 500);
    await first.lease('turns', 'two', 500);
    await first.lease('turn%', 'two', 500);
    const listed = [
      { key: 'turn/a/2', holder: 'two', left: 500 },
      { key: 'turn/b/1', holder: 'one', left: 1000 },
    ];
    assert.deepEqual(await second.leases('turn/'), listed);
    assert.deepEqual(await second.leases('turn/'), listed, 'the clock stands still');
    assert.equal((await second.leases('')).length, 4);
    await data.passTime(600);
    await first.lease('turn/c/3', 'three', 1);
    const later = [
      { key: 'turn/a/2', holder: 'two', left: 0 },
      { key: 'turn/b/1', holder: 'one', left: 400 },
      { key: 'turn/c/3', holder: 'three', left: 1 },
    ];
    assert.deepEqual(await second.leases('turn/'), later);
    assert.equal(await second.lease('turn/a/2', 'four', 10), true);
    await second.release('turn/b/1', 'one');
    assert.deepEqual(
      (await first.leases('turn/')).map(({ holder }) => holder),
      ['four', 'three'],
    );
  });

  test(`[ST52] ${name}: a value is taken once, by one of those that ask, in its time`, async (t) => {
    const data = create(t);
    const first = await data.open();
    const second = capabilities.shared ? await data.open() : first;
    assert.equal(await first.takeOnce('code'), undefined);
    await first.putOnce('code', 'old', 1000);
    await first.putOnce('code', 'who', 1000);
    await first.putOnce('empty', '', 1000);
    const taken = await Promise.all(
      Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? first : second).takeOnce('code')),
    );
    assert.deepEqual(
      taken.filter((value) => value !== undefined),
      ['who'],
    );
    assert.equal(await second.takeOnce('empty'), '');
    await first.putOnce('code', 'in time', 1000);
    await first.putOnce('other', 'too late', 1000);
    await data.passTime(999);
    assert.equal(await second.takeOnce('code'), 'in time');
    await data.passTime(1);
    assert.equal(await second.takeOnce('other'), undefined);
    await assert.rejects(first.putOnce('', '', 1), TypeError);
    await assert.rejects(first.putOnce('code', '\ud800', 1), TypeError);
    await assert.rejects(first.putOnce('code', 'x', Number.NaN), RangeError);
  });

  test(`[ST22] ${name}: client ids are whole numbers above 1 that never repeat`, async (t) => {
    const data = create(t);
    const first = await data.open();
    const second = capabilities.shared ? await data.open() : first;
    const ids = await Promise.all(
      Array.from({ length: 100 }, (_, index) => (index % 2 === 0 ? first : second).nextClientId()),
    );
    assert.equal(new Set(ids).size, 100);
    assert.ok(ids.every((id) => Number.isSafeInteger(id) && id >= 2));
    assert.ok((await first.nextClientId(1_000_000)) > 1_000_000);
    assert.ok((await second.nextClientId(5)) > 1_000_001, 'it never goes back');
  });
}

/** The next wake by any log. */
function nextWakeOfAny(store: Store): Promise<void> {
  const woken = new Promise<void>((resolve) => {
    const stop = store.listenAll(() => {
      stop();
      resolve();
    });
  });
  return keptAlive(woken, 'no listener was woken by an append');
}

/** The next wake. */
function nextWake(store: Store, log: string): Promise<void> {
  const woken = new Promise<void>((resolve) => {
    const stop = store.listen(log, () => {
      stop();
      resolve();
    });
  });
  return keptAlive(woken, `no listener was woken by an append to ${log}`);
}
