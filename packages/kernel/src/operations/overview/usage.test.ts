import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PastCall, Pricing } from '@loom/blocks';
import type { LoomEngine } from '../calling/engine.ts';
import type { Outcome } from '../../refusal.ts';
import { passOn } from '../../store.ts';
import type { Store } from '../../store.ts';
import { say } from '../../testing/scripted-provider.ts';
import type { Script } from '../../testing/scripted-provider.ts';
import { createWorld } from '../../testing/world.ts';
import type { Caller } from '../operation.ts';
import type { ParamsOf } from '../table.ts';

let requests = 0;

function by(given: Partial<Caller> = {}): Caller {
  requests += 1;
  return { agent: 'person', type: 'person', role: 'owner', door: 'library', id: `call-${requests}`, ...given };
}

function value<T>(outcome: Outcome<T>): T {
  return outcome.ok ? outcome.value : assert.fail(JSON.stringify(outcome.refusal));
}

/** An answer that costs so much, if that is known. */
function paid(cost?: number): Script {
  const usage = { input_tokens: 10, output_tokens: 5, cached_input_tokens: 4 };
  return say('so').map((event) =>
    event.type === 'usage'
      ? { type: 'usage', usage: cost === undefined ? usage : { ...usage, cost_usd: cost } }
      : event,
  );
}

async function used(engine: LoomEngine, params: ParamsOf<'usage.list'> = {}) {
  return value(await engine.call('usage.list', by(), params));
}

const day = 24 * 60 * 60 * 1000;

test('[OP25] usage is summed by day and model over all conversations, each call once, whatever is copied or deleted', async () => {
  const world = await createWorld([paid(0.1), paid(0.2), paid(), paid(0.4)]);
  const { engine, root, clock } = world;
  const today = new Date(clock.now()).toISOString().slice(0, 10);
  const question = await world.say('one');
  for (let index = 0; index < 3; index += 1) await engine.turns.wait(await world.answer(question));
  clock.advance(day);
  await engine.turns.wait(await world.answer(question));
  const tomorrow = new Date(clock.now()).toISOString().slice(0, 10);
  const both = [
    {
      day: today,
      provider: 'scripted',
      model: 'one',
      calls: 3,
      input_tokens: 30,
      output_tokens: 15,
      cached_input_tokens: 12,
      cache_write_tokens: 0,
      cost_usd: 0.3,
      unpriced: 1,
    },
    {
      day: tomorrow,
      provider: 'scripted',
      model: 'one',
      calls: 1,
      input_tokens: 10,
      output_tokens: 5,
      cached_input_tokens: 4,
      cache_write_tokens: 0,
      cost_usd: 0.4,
      unpriced: 0,
    },
  ];
  assert.deepEqual((await used(engine)).items, both);
  const [first, second] = value(await engine.call('node.children', by(), { node: question })).nodes;
  const block = first?.message.content[0]?.block_id ?? '';
  value(await engine.call('node.fork', by(), { block_id: block }));
  value(await engine.call('node.edit', by(), { node: first?.id ?? '', content: 'another', mode: 'sibling' }));
  const { root: other } = value(await engine.call('root.create', by(), {}));
  value(await engine.call('node.move', by(), { node: second?.id ?? '', parent: other }));
  value(await engine.call('node.remove', by(), { node: question }));
  assert.deepEqual((await used(engine)).items, both);
  value(await engine.call('root.remove', by(), { root }));
  assert.deepEqual((await used(engine)).items, both);
  assert.deepEqual((await used(engine, { to: today })).items, both.slice(0, 1));
  assert.deepEqual((await used(engine, { from: tomorrow })).items, both.slice(1));
  const page = await used(engine, { limit: 1 });
  assert.deepEqual((await used(engine, { after: page.next ?? '' })).items, both.slice(1));
  assert.deepEqual(value(await engine.call('usage.list', by({ roots: [other] }), {})).items, []);
  for (const wrong of ['yesterday', '2026-13-01', '2026-02-30'])
    assert.equal((await engine.call('usage.list', by(), { from: wrong })).ok, false, wrong);
});

test('[OP44] what was in a cache and is paid again after an edit is counted, once, and only where there is a cache', async () => {
  const call = (input: number, cached: number): Script =>
    say('so').map((event) =>
      event.type === 'usage'
        ? { type: 'usage', usage: { input_tokens: input, output_tokens: 5, cached_input_tokens: cached } }
        : event,
    );
  const world = await createWorld([
    call(100, 60),
    call(130, 104),
    call(140, 20),
    call(160, 140),
    call(90, 0),
    call(95, 0),
  ]);
  const { engine, root } = world;
  const repeated = async () => (await used(engine)).items.map((item) => item.repeated_input_tokens ?? 0);
  const answer = async (node: string): Promise<string> => {
    await engine.turns.wait(await world.answer(node));
    const { nodes } = value(await engine.call('tree.recent_leaves', by(), { root, limit: 1 }));
    return nodes[0]?.id ?? '';
  };
  const follow = async (parent: string, content: string): Promise<string> =>
    value(await engine.call('node.append', by(), { parent, messages: [{ role: 'user', content }] })).nodes[0] ?? '';
  const question = await world.say('one');
  const second = await answer(await follow(await answer(question), 'two'));
  assert.deepEqual(await repeated(), [0], 'what was read before is at the beginning');
  value(await engine.call('node.edit', by(), { node: question, content: 'another', mode: 'in-place' }));
  const third = await answer(await follow(second, 'three'));
  assert.deepEqual(await repeated(), [120], 'all that the call read anew, of what the one before had read and said');
  const fourth = await answer(await follow(third, 'four'));
  assert.deepEqual(await repeated(), [120], 'the change is paid for');
  const fifth = await answer(await follow(fourth, 'five'));
  value(await engine.call('node.edit', by(), { node: question, content: 'one more', mode: 'in-place' }));
  await answer(await follow(fifth, 'six'));
  assert.deepEqual(await repeated(), [120], 'without a cache there is nothing to lose');
});

test('[OP25] what heads of an earlier version do not say is read from the conversation', async () => {
  const world = await createWorld([paid(0.1)]);
  await world.engine.turns.wait(await world.answer(await world.say('one')));
  const now = await used(world.engine);
  let reads = 0;
  const old = world.another({
    store: { ...withEarlierHeads(world.store), read: (...request) => ((reads += 1), world.store.read(...request)) },
  });
  assert.deepEqual(await used(old), now);
  assert.equal(now.items.length, 1);
  const before = reads;
  assert.deepEqual(await used(old), now);
  assert.equal(reads, before, 'once');
});

test('[OP46] calls without a cost are priced as of their day, by what each kind of their tokens costs', async () => {
  const asked: PastCall[] = [];
  const pricing: Pricing = (call) => {
    asked.push(call);
    if (call.model === 'two') return undefined;
    const rate = call.input_tokens > 200_000 ? 2 : 1;
    return rate * ((call.cache_write_tokens ?? 0) + 10 * (call.cache_write_1h_tokens ?? 0) + (call.web_searches ?? 0));
  };
  const raw = {
    cache_creation: { ephemeral_5m_input_tokens: 60, ephemeral_1h_input_tokens: 40 },
    server_tool_use: { web_search_requests: 3 },
  };
  const call = (input: number, more = {}): Script =>
    say('so').map((event) =>
      event.type === 'usage' ? { type: 'usage', usage: { input_tokens: input, output_tokens: 5, ...more } } : event,
    );
  const world = await createWorld([
    call(1000, { cache_write_tokens: 100, raw }),
    call(3000, { cache_write_tokens: 100, raw }),
    call(300_000, { cache_write_tokens: 100, raw }),
    call(1000, { cost_usd: 7 }),
    call(1000),
  ]);
  const { engine, root } = world;
  const question = await world.say('one');
  for (let index = 0; index < 4; index += 1) await engine.turns.wait(await world.answer(question));
  const { turns } = value(
    await engine.call('turn.start', by(), { node: question, provider: 'scripted', model: 'two' }),
  );
  await engine.turns.wait(turns[0] ?? '');
  value(await engine.call('root.configure', by(), { root, config: { directory: '/home/user/loom' } }));
  const priced = world.another({ catalogue: { capsOf: () => undefined, pricing: () => pricing } });
  const [one, two, ...others] = (await used(priced)).items;
  assert.deepEqual(others, []);
  // Three calls of 100 + 10 × 40 + 3; the long one costs twice as much, and one has its own cost.
  assert.deepEqual([one?.cost_usd, one?.unpriced, one?.calls], [503 * 4 + 7, 0, 4]);
  assert.deepEqual([one?.cache_write_tokens, one?.cache_write_1h_tokens, one?.web_searches], [300, 120, 9]);
  assert.deepEqual([two?.model, two?.cost_usd, two?.unpriced], ['two', undefined, 1]);
  assert.deepEqual(
    new Set(
      asked.map(({ model, input_tokens: input, time }) =>
        [model, input, new Date(time).toISOString().slice(10)].join(),
      ),
    ),
    new Set(['one,2000,T12:00:00.000Z', 'one,300000,T12:00:00.000Z', 'two,1000,T12:00:00.000Z']),
    'calls with the same prices at once',
  );
  const isPossible = (call: PastCall): boolean =>
    (call.cached_input_tokens ?? 0) + (call.cache_write_tokens ?? 0) <= call.input_tokens;
  assert.ok(asked.every(isPossible), 'a catalogue may refuse more cached tokens than there are');
  for (const [by, name] of [
    ['project', '/home/user/loom'],
    ['source', 'loom'],
    ['conversation', root],
  ] as const) {
    const [group, ...more] = (await used(priced, { by: [by] })).items;
    assert.deepEqual([group?.[by], group?.calls, group?.cost_usd, more.length], [name, 5, 503 * 4 + 7, 0], by);
    assert.deepEqual(group?.unpriced_models, ['scripted/two'], by);
  }
  const costliest = (await used(priced, { by: ['model'], order: 'cost', limit: 1 })).next;
  assert.deepEqual(
    (await used(priced, { by: ['model'], order: 'cost', after: costliest ?? '' })).items.map(({ model }) => model),
    ['two'],
  );
});

function withEarlierHeads(store: Store): Store {
  return {
    ...passOn(store),
    heads: async (request) =>
      (await store.heads(request)).map((listed) => {
        if (listed.head === undefined) return listed;
        const text = listed.head.text.replace(/,"spent":\[.*?\]/u, ',"days":[{"day":"2026-11-17"}]');
        assert.doesNotMatch(text, /"spent"/u);
        return { ...listed, head: { ...listed.head, text } };
      }),
  };
}
