import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '@loom/kernel/store';
import type { StoreKind } from './contract.ts';
import { keptAlive } from './kept-alive.ts';
import { begin, request, texts } from './writer.ts';

/** What writers use besides logs: wakes, leases, client ids. */
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
    data.passTime(900);
    assert.equal(await first.lease('turn', 'one', 1000), true);
    data.passTime(900);
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
    data.passTime(999);
    assert.equal(await store.lease('turn', 'two', 1000), false);
    data.passTime(1);
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
