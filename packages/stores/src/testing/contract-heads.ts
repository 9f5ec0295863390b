import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AppendRequest, HeadsRequest, ListedLog, Store } from '@loom/kernel/store';
import * as fc from 'fast-check';
import type { StoreKind } from './contract.ts';
import { begin, request, texts } from './writer.ts';

/** Tests heads: the summary of each log that a list shows, written with its records. */
export function testHeads({ name, capabilities, create, runs = 40 }: StoreKind): void {
  const needsShared = capabilities.shared ? false : 'not shared: one handle at a time';
  const needsDurable = capabilities.durable ? false : 'not durable: nothing is left after the last handle';

  test(`[ST39] ${name}: a head is put with an append, left as it is by one that says so, and gone after one without`, async (t) => {
    const store = await create(t).open();
    const epoch = await appendWith(store, 'a', undefined, 0, { time: 1, text: 'first' });
    assert.deepEqual(await all(store), [{ log: 'a', head: { time: 1, text: 'first' } }]);
    await appendWith(store, 'a', epoch, 1, 'same');
    assert.deepEqual(await all(store), [{ log: 'a', head: { time: 1, text: 'first' } }]);
    await appendWith(store, 'a', epoch, 2, { time: 0.5, text: 'second' });
    assert.deepEqual(await all(store), [{ log: 'a', head: { time: 0.5, text: 'second' } }]);
    await appendWith(store, 'a', epoch, 3, undefined);
    assert.deepEqual(await all(store), [{ log: 'a' }]);
    await appendWith(store, 'a', epoch, 4, 'same');
    assert.deepEqual(await all(store), [{ log: 'a' }], 'none stays none');
    await appendWith(store, 'b', undefined, 0, 'same');
    assert.deepEqual(await all(store), [{ log: 'a' }, { log: 'b' }]);
    assert.deepEqual((await texts(store, 'a'))?.length, 5);
  });

  test(`[ST39] ${name}: of an append that is too late, or a mistake, the head is not put`, async (t) => {
    const store = await create(t).open();
    const epoch = await appendWith(store, 'a', undefined, 0, { time: 1, text: 'first' });
    const late = { ...request(undefined, 0, ['x']), head: { time: 2, text: 'late' } };
    assert.equal((await store.append('a', late)).ok, false);
    await appendWith(store, 'a', epoch, 1, 'same');
    assert.equal(
      (await store.append('a', { ...late, epoch, expectedSeq: 1, records: [{ seq: 2, text: 'x' }] })).ok,
      false,
    );
    assert.equal((await store.append('a', request(undefined, 0, ['x']))).ok, false, 'nor is it taken away');
    for (const head of [
      { time: Number.NaN, text: '' },
      { time: Infinity, text: '' },
      { time: 1, text: 'lone \uD800' },
    ]) {
      const mistake = { ...request(epoch, 2, ['x']), head };
      await assert.rejects(
        store.append('a', mistake),
        (error) => error instanceof RangeError || error instanceof TypeError,
      );
    }
    assert.deepEqual(await all(store), [{ log: 'a', head: { time: 1, text: 'first' } }]);
    assert.equal((await texts(store, 'a'))?.length, 2);
  });

  test(`[ST39] ${name}: of appends made at once each has its own head, and the last one stays`, async (t) => {
    const store = await create(t).open();
    const epoch = await begin(store, 'a', ['one']);
    const logs = Array.from({ length: 20 }, (_, index) => `log ${index}`);
    await Promise.all([
      ...[1, 2, 3, 4, 5].map((seq) => appendWith(store, 'a', epoch, seq, { time: seq, text: `head ${seq}` })),
      ...logs.map((log, index) => appendWith(store, log, undefined, 0, { time: index, text: log })),
    ]);
    const heads = new Map((await all(store)).map(({ log, head }) => [log, head]));
    assert.deepEqual(heads.get('a'), { time: 5, text: 'head 5' });
    for (const [index, log] of logs.entries()) assert.deepEqual(heads.get(log), { time: index, text: log });
  });

  test(`[ST39] ${name}: folding and projections leave the head, and a text comes back as a copy, character by character`, async (t) => {
    const store = await create(t).open();
    const head = { time: 1_700_000_000_123.5, text: `${'🧵 "\\\n\0'.repeat(300)}\u{10FFFF}` };
    const answer = appendWith(store, 'a', undefined, 0, head);
    const expected = { ...head };
    head.text = 'changed';
    const epoch = await answer;
    await appendWith(store, 'a', epoch, 1, 'same');
    assert.equal(await store.fold('a', { epoch, first: 1, record: { seq: 2, text: 'both' } }), true);
    assert.equal(await store.writeProjection('a', 'p', { epoch, seq: 2, base: undefined, put: [], drop: [] }), true);
    const [listed] = await all(store);
    assert.deepEqual(listed, { log: 'a', head: expected });
    if (listed?.head !== undefined) listed.head.text = 'changed';
    assert.deepEqual(await all(store), [{ log: 'a', head: expected }]);
  });

  test(`[ST40] ${name}: logs are listed in pages, by time and by name, each of them once`, async (t) => {
    const store = await create(t).open();
    const times: [log: string, time: number | undefined][] = [
      ['old', -5],
      ['new', 30],
      ['\u{10FFFF}', 20],
      ['\uFFFF', 20],
      ['a', 20],
      ['none', undefined],
      ['ab', 20],
      ['also none', undefined],
    ];
    for (const [log, time] of times) {
      await appendWith(store, log, undefined, 0, time === undefined ? undefined : { time, text: log });
    }
    const newest = ['new', 'a', 'ab', '\uFFFF', '\u{10FFFF}', 'old', 'also none', 'none'];
    const byName = ['a', 'ab', 'also none', 'new', 'none', 'old', '\uFFFF', '\u{10FFFF}'];
    for (const limit of [1, 2, 3, 7, 8, 100]) {
      assert.deepEqual((await pages(store, { order: 'newest', limit })).map(nameOf), newest);
      assert.deepEqual((await pages(store, { order: 'name', limit })).map(nameOf), byName);
    }
    for (const limit of [0, -1, 1.5]) await assert.rejects(store.heads({ order: 'name', limit }), RangeError);
  });

  test(`[ST40] ${name}: whatever is appended between two pages, a log that it does not concern is listed once`, async (t) => {
    const anyLog = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g');
    const anyHead = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });
    const property = fc.asyncProperty(
      fc.uniqueArray(fc.tuple(anyLog, anyHead), { selector: ([log]) => log }),
      fc.array(fc.tuple(anyLog, anyHead), { maxLength: 6 }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom('newest' as const, 'name' as const),
      async (first, later, limit, order) => {
        const store = await create(t).open();
        const put = async (log: string, time: number | undefined): Promise<void> => {
          const { epoch, records = [] } = (await store.read(log, 0)) ?? {};
          await appendWith(
            store,
            log,
            epoch,
            records.length,
            time === undefined ? undefined : { time, text: `${time}` },
          );
        };
        for (const [log, time] of first) await put(log, time);
        const touched = new Set<string>();
        const listed: ListedLog[] = [];
        for (const [log, time] of [...later, ...Array.from({ length: 10 }, () => [undefined, undefined] as const)]) {
          const page = await store.heads({ order, limit, ...placeAfter(listed) });
          listed.push(...page);
          if (log === undefined) continue;
          touched.add(log);
          await put(log, time);
        }
        const untouched = first.map(([log]) => log).filter((log) => !touched.has(log));
        assert.deepEqual(
          listed
            .map(nameOf)
            .filter((log) => !touched.has(log))
            .sort(),
          untouched.sort(),
        );
        await store.close();
      },
    );
    await fc.assert(property, { numRuns: Math.ceil(runs / 4) });
  });

  test(`[ST41] ${name}: heads are there when the store is opened again`, { skip: needsDurable }, async (t) => {
    const data = create(t);
    const before = await data.open();
    const epoch = await appendWith(before, 'a', undefined, 0, { time: 1, text: 'of a' });
    await appendWith(before, 'a', epoch, 1, 'same');
    const dropped = await appendWith(before, 'b', undefined, 0, { time: 2, text: 'of b' });
    await appendWith(before, 'b', dropped, 1, undefined);
    const listed = await all(before);
    await before.close();
    const after = await data.open();
    assert.deepEqual(await all(after), [{ log: 'a', head: { time: 1, text: 'of a' } }, { log: 'b' }]);
    assert.deepEqual(await all(after), listed);
    await appendWith(after, 'a', epoch, 2, 'same');
    assert.deepEqual((await all(after))[0], { log: 'a', head: { time: 1, text: 'of a' } });
  });

  test(`[ST41] ${name}: what one handle puts another one lists`, { skip: needsShared }, async (t) => {
    const data = create(t);
    const [first, second] = [await data.open(), await data.open()];
    const epoch = await appendWith(first, 'a', undefined, 0, { time: 1, text: 'first' });
    assert.deepEqual(await all(second), [{ log: 'a', head: { time: 1, text: 'first' } }]);
    await appendWith(second, 'a', epoch, 1, undefined);
    assert.deepEqual(await all(first), [{ log: 'a' }]);
    await appendWith(first, 'a', epoch, 2, { time: 2, text: 'third' });
    await appendWith(second, 'a', epoch, 3, undefined);
    assert.deepEqual(await all(first), [{ log: 'a' }]);
  });
}

async function appendWith(
  store: Store,
  log: string,
  epoch: string | undefined,
  after: number,
  head: AppendRequest['head'],
): Promise<string> {
  const result = await store.append(log, { ...request(epoch, after, [`change ${after + 1}`]), ...(head && { head }) });
  assert.ok(result.ok);
  return result.epoch;
}

function all(store: Store): Promise<ListedLog[]> {
  return store.heads({ order: 'name', limit: 1000 });
}

async function pages(store: Store, about: HeadsRequest): Promise<ListedLog[]> {
  const listed: ListedLog[] = [];
  for (;;) {
    const page = await store.heads({ ...about, ...placeAfter(listed) });
    listed.push(...page);
    if (page.length < about.limit) return listed;
  }
}

function placeAfter(listed: readonly ListedLog[]): Pick<HeadsRequest, 'after'> {
  const last = listed.at(-1);
  if (last === undefined) return {};
  return { after: last.head === undefined ? { log: last.log } : { log: last.log, time: last.head.time } };
}

function nameOf({ log }: ListedLog): string {
  return log;
}
