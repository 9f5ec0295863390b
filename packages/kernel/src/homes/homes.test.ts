import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { anyJson } from '@loom/blocks/testing';
import type { LoomEngine } from '../operations/calling/engine.ts';
import type { Caller } from '../operations/operation.ts';
import type { ParamsOf } from '../operations/table.ts';
import type { Store } from '../store.ts';
import { createWorld } from '../testing/world.ts';
import type { World } from '../testing/world.ts';
import { homeCodec } from './home-codec.ts';
import type { HomeNews } from './home-news.ts';
import { HomeState } from './home-state.ts';
import { setUnreadableHomeAside } from './unreadable-home.ts';

function ada({ ids }: World, more: Partial<Caller> = {}): Caller {
  return { agent: 'ada', type: 'person', role: 'reader', id: ids.next(), door: 'http', ...more };
}

async function entriesOf(world: World, caller = ada(world), params: object = {}): Promise<unknown> {
  const outcome = await world.engine.call('home.list', caller, params);
  return outcome.ok ? outcome.value.items.map(({ key, value }) => [key, value]) : outcome.refusal.reason;
}

test('[HM1] what a person keeps is in a log named after the agent, is set and removed in one change, and is found by prefix', async () => {
  const world = await createWorld();
  const set = async (...entries: { key: string; value?: Record<string, unknown> }[]): Promise<unknown> => {
    const outcome = await world.engine.call('home.set', ada(world), { entries });
    return outcome.ok ? outcome.value.changed : outcome.refusal.reason;
  };
  assert.deepEqual(await entriesOf(world), []);
  assert.equal(await set({ key: 'pins/root-9' }), 0);
  assert.deepEqual(
    (await world.store.logs()).filter((log) => log.includes('/')),
    [],
    'asking makes no log',
  );
  assert.equal(await set({ key: 'pins/root-2', value: {} }, { key: 'searches/todo', value: { query: 'TODO' } }), 2);
  assert.equal(await set({ key: 'pins/root-1', value: { order: 1 } }, { key: 'pins/root-2', value: {} }), 1);
  assert.deepEqual(await entriesOf(world, ada(world), { prefix: 'pins/' }), [
    ['pins/root-1', { order: 1 }],
    ['pins/root-2', {}],
  ]);
  assert.equal(await set({ key: 'pins/root-1' }), 1);
  assert.deepEqual(await entriesOf(world, ada(world), { limit: 1 }), [['pins/root-2', {}]]);
  assert.deepEqual((await world.store.read('person/ada', 0))?.records.length, 3);
  assert.equal(await set({ key: 'x', value: { text: 'x'.repeat(70_000) } }), 'invalid-params');
  assert.equal(await set({ key: '', value: {} }), 'invalid-params');
  const again = world.another();
  const outcome = await again.call('home.list', ada(world), {});
  assert.ok(outcome.ok);
  assert.deepEqual(
    outcome.value.items.map(({ key, agent }) => [key, agent]),
    [
      ['pins/root-2', 'ada'],
      ['searches/todo', 'ada'],
    ],
  );
});

test('[HM1] a request that is repeated is done once', async () => {
  const world = await createWorld();
  const caller = ada(world);
  const entries = [{ key: 'pins/a', value: { at: 1 } }];
  const first = await world.engine.call('home.set', caller, { entries });
  assert.ok((await world.engine.call('home.set', ada(world), { entries: [{ key: 'pins/a' }] })).ok);
  assert.deepEqual(await world.another().call('home.set', caller, { entries }), first);
  assert.deepEqual(await entriesOf(world), []);
});

test('[HM2] nobody sees the home of another person; what a project shares takes a writer who may use all conversations', async () => {
  const world = await createWorld();
  const entries = [{ key: 'instructions', value: { text: 'Be brief.' } }];
  assert.ok((await world.engine.call('home.set', ada(world), { entries })).ok);
  assert.deepEqual(await entriesOf(world, ada(world, { agent: 'bob' })), []);
  const share = async (more: Partial<Caller>): Promise<unknown> => {
    const outcome = await world.engine.call('home.set', ada(world, more), { project: 'p-1', entries });
    return outcome.ok ? outcome.value : outcome.refusal.reason;
  };
  assert.equal(await share({ role: 'appender' }), 'not-permitted');
  const half = await world.engine.call('home.set', ada(world, { role: 'writer' }), { project: 'a \ud83e', entries });
  assert.equal(half.ok || half.refusal.reason, 'invalid-params');
  assert.equal(await share({ role: 'owner', roots: [world.root] }), 'not-permitted');
  assert.deepEqual(await share({ role: 'writer' }), { changed: 1 });
  const shared = [['instructions', { text: 'Be brief.' }]];
  assert.deepEqual(await entriesOf(world, ada(world, { agent: 'bob' }), { project: 'p-1' }), shared);
  assert.equal(await entriesOf(world, ada(world, { roots: [world.root] }), { project: 'p-1' }), 'not-permitted');
  assert.equal(await entriesOf(world, ada(world, { door: 'mcp' })), 'not-permitted');
  assert.deepEqual(
    (await world.store.logs()).filter((log) => log.includes('/')),
    ['person/ada', 'project/p-1'],
  );
});

test('[HM3] whatever is kept, what is read from the log is what was live', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c/d'), fc.option(fc.dictionary(fc.string(), anyJson)))),
      async (steps) => {
        const world = await createWorld();
        const { homes } = world.engine;
        for (const [key, value] of steps) {
          const change = value === null ? { key } : { key, value };
          const written = await homes.set(ada(world), { person: 'ada' }, [change]);
          assert.ok(written.ok, JSON.stringify(written));
        }
        const live = await homes.list({ person: 'ada' });
        const { records = [] } = (await world.store.read('person/ada', 0)) ?? {};
        const state = new HomeState();
        for (const { text } of records) for (const change of homeCodec.decode(text)) state.apply(change);
        const read = Array.from(state.entries, ([key, entry]) => ({ key, ...entry }));
        assert.deepEqual(
          live,
          read.sort((one, other) => (one.key < other.key ? -1 : 1)),
        );
      },
    ),
    { numRuns: 50 },
  );
});

test('[HM4] of a home with a change that cannot be read the others stay', async () => {
  const world = await createWorld();
  for (const key of ['a', 'b', 'c']) {
    assert.ok((await world.engine.call('home.set', ada(world), { entries: [{ key, value: {} }] })).ok);
  }
  const { records = [] } = (await world.store.read('person/ada', 0)) ?? {};
  const damaged = records.map((record) => (record.seq === 2 ? { ...record, text: 'x' } : record));
  const { changes, aside } = setUnreadableHomeAside(damaged);
  assert.deepEqual(
    aside.map(({ seq }) => seq),
    [2],
  );
  const state = new HomeState();
  for (const change of changes) for (const read of homeCodec.decode(homeCodec.encode(change))) state.apply(read);
  assert.deepEqual([state.seq, ...state.entries.keys()], [3, 'a', 'c']);
});

test('[HM5] every change of a home is told with its keys, also of another process; of a home that is not in memory, that it changed', async () => {
  const world = await createWorld();
  const other = world.another();
  const heard: HomeNews[] = [];
  const stop = world.engine.homes.subscribe((news) => void heard.push(news));
  const set = (engine: LoomEngine, params: ParamsOf<'home.set'>) =>
    engine.call('home.set', ada(world, { role: 'writer' }), params);
  const told = async (): Promise<HomeNews[]> => {
    await new Promise((resolve) => setImmediate(resolve));
    return heard.splice(0);
  };
  const home = { person: 'ada' };
  await set(world.engine, { entries: [{ key: 'pins/a', value: {} }, { key: 'searches/b' }] });
  assert.deepEqual(await told(), [{ home, keys: ['pins/a'] }], 'without what was so already');
  await set(other, { entries: [{ key: 'pins/a' }] });
  assert.deepEqual(await told(), [{ home, keys: ['pins/a'] }]);
  await set(other, { project: 'p', entries: [{ key: 'settings/model', value: {} }] });
  assert.deepEqual(await told(), [{ home: { project: 'p' } }]);
  await set(other, { entries: Array.from({ length: 101 }, (_, at) => ({ key: `viewed/${at}`, value: {} })) });
  assert.deepEqual(await told(), [{ home }]);
  await world.say('nothing beside conversations');
  assert.deepEqual(await told(), []);
  stop();
  await set(world.engine, { entries: [{ key: 'pins/c', value: {} }] });
  assert.deepEqual(await told(), []);
});

test('[HM5] what is told between two looks at a home shows in the second, however many homes are used', async () => {
  const world = await createWorld();
  const other = world.another();
  const people = Array.from({ length: 60 }, (_, at) => `person-${at}`);
  for (const agent of people) await entriesOf(world, ada(world, { agent }));
  const heard = new Set<string>();
  world.engine.homes.subscribe(({ home = {} }) => void ('person' in home && heard.add(home.person)));
  for (const agent of people)
    await other.call('home.set', ada(world, { agent }), { entries: [{ key: 'a', value: {} }] });
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([...heard].sort(), people.toSorted());
});

/** The seqs behind which the log of a home is read. */
function watchHome(store: Store, log: string): number[] {
  const read = store.read.bind(store);
  const seen: number[] = [];
  Reflect.set(store, 'read', (name: string, afterSeq: number, throughSeq?: number) => {
    if (name === log) seen.push(afterSeq);
    return read(name, afterSeq, throughSeq);
  });
  return seen;
}

test('[HM6] a home is read from its snapshot and what is behind it, which give the same as the whole log', async () => {
  const change = fc.record({
    key: fc.constantFrom('a', 'b', 'c/d', 'e'),
    value: fc.option(fc.dictionary(fc.string(), anyJson)),
    /** A new process goes on, as after a restart. */
    restarts: fc.boolean(),
  });
  const property = fc.asyncProperty(fc.array(change, { maxLength: 30 }), async (steps) => {
    const world = await createWorld([], [], 4);
    const requests: [Caller, ParamsOf<'home.set'>, unknown][] = [];
    let engine = world.another({ snapshotEvery: 4 });
    for (const { key, value, restarts } of steps) {
      const params = { entries: [value === null ? { key } : { key, value }] };
      const caller = ada(world);
      const answer = await engine.call('home.set', caller, params);
      assert.ok(answer.ok);
      // A request that changes nothing is decided anew.
      if (answer.value.changed > 0) requests.push([caller, params, answer]);
      if (!restarts) continue;
      await engine.close();
      engine = world.another({ snapshotEvery: 4 });
    }
    const entriesBy = (every: number) => entriesOf({ ...world, engine: world.another({ snapshotEvery: every }) });
    assert.deepEqual(await entriesBy(4), await entriesBy(Infinity));
    for (const [caller, params, answer] of requests) {
      assert.deepEqual(await world.another({ snapshotEvery: 4 }).call('home.set', caller, params), answer);
    }
  });
  await fc.assert(property, { numRuns: 30 });
});

test('[HM6] opening a home reads only what is behind its snapshot, and a snapshot that is not whole counts as none', async () => {
  const world = await createWorld();
  const writer = world.another({ snapshotEvery: 10 });
  for (let at = 0; at < 25; at += 1) {
    const key = `pins/${at % 3}`;
    const entries = [at % 7 === 6 ? { key } : { key, value: { at } }];
    assert.ok((await writer.call('home.set', ada(world), { entries })).ok);
  }
  await writer.close();
  const before = await entriesOf(world);
  const seen = watchHome(world.store, 'person/ada');
  const readers = (): Promise<unknown> => entriesOf({ ...world, engine: world.another({ snapshotEvery: 10 }) });
  assert.deepEqual(await readers(), before);
  assert.deepEqual(seen.splice(0), [25]);
  const { epoch, seq, parts } = (await world.store.readProjection('person/ada', 'state')) ?? assert.fail();
  for (const { key } of parts) {
    const put = parts.filter((part) => part.key !== key);
    await world.store.writeProjection('person/ada', 'state', { epoch, seq, base: undefined, put, drop: [] });
    assert.deepEqual(await readers(), before, key);
    assert.deepEqual(seen.splice(0), [0], key);
  }
});
