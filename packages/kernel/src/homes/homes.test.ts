import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { anyJson } from '@loom/blocks/testing';
import type { Caller } from '../operations/operation.ts';
import { createWorld } from '../testing/world.ts';
import type { World } from '../testing/world.ts';
import { homeCodec } from './home-codec.ts';
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
