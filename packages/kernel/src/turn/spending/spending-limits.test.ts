import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../operations/operation.ts';
import { call, say } from '../../testing/scripted-provider.ts';
import type { ProviderEvent } from '../../provider.ts';
import { createWorld, echoTool } from '../../testing/world.ts';
import type { SpendingLimits } from './spending-limits.ts';

/** A call that reports its cost, if it has one. */
const costing = (cost: number | undefined, script: readonly ProviderEvent[]): ProviderEvent[] => {
  const usage = { input_tokens: 10, output_tokens: 1, ...(cost === undefined ? {} : { cost_usd: cost }) };
  return [...script.slice(0, -1), { type: 'usage', usage }, ...script.slice(-1)];
};

async function spending(scripts: ProviderEvent[][], limits: SpendingLimits) {
  const world = await createWorld(scripts, [echoTool('look')]);
  const engine = world.another({ spendingLimits: async () => limits, exclusive: true });
  const person = (role: Caller['role'] = 'owner'): Caller => ({
    agent: 'ann',
    type: 'person',
    role,
    door: 'library',
    id: world.ids.next(),
  });
  const turn = async (node: string, more: { beyond_limits?: boolean; settings?: Record<string, number> } = {}) => {
    const params = { node, provider: 'scripted', model: 'one', tools: ['look'], ...more };
    const started = await engine.call('turn.start', person(), params);
    assert.ok(started.ok);
    const id = started.value.turns[0] ?? '';
    await engine.turns.wait(id);
    const state = await engine.forest.log(world.root).state();
    const tip = [...state.nodes.values()].at(-1);
    const [block] = tip?.blocks ?? [];
    const error = block?.type === 'error' ? [block.code, block.message] : undefined;
    return { end: state.turns.get(id)?.ended?.reason, error, tip: tip?.id ?? '' };
  };
  return { world, engine, person, turn };
}

const looking = (cost?: number) => costing(cost, call([`c${cost}`, 'look', '{}']));

test('[TU137] a turn that has reached its limit ends before the next call, with its results, and a person lets it go on', async () => {
  const { world, turn, engine } = await spending(
    [looking(0.4), looking(0.6), looking(0.5), costing(0.1, say('done'))],
    { turn: 1 },
  );
  const stopped = await turn(await world.say('go'));
  assert.equal(stopped.end, 'limit');
  assert.deepEqual(stopped.error, ['spending-limit', 'This turn has cost $1.00, and the limit of a turn is $1.00.']);
  assert.deepEqual(world.ran.length, 2, 'what was called before was run');
  assert.equal(world.provider.requests.length, 2);
  const gone = await turn(stopped.tip);
  assert.equal(gone.end, 'done', 'another turn may spend as much again');
  const shown = JSON.stringify(world.provider.requests.at(-1)?.messages);
  assert.ok(!shown.includes('limit'), 'models are not shown it');
  await engine.close();
});

test('[TU137] a setting of the turn lowers the limit, and never raises it', async () => {
  const { world, turn } = await spending([looking(0.4), looking(0.4), looking(2)], { turn: 1 });
  const low = await turn(await world.say('go'), { settings: { max_cost_usd: 0.3 } });
  assert.deepEqual(low.error?.[1], 'This turn has cost $0.40, and the limit of a turn is $0.30.');
  assert.equal('max_cost_usd' in (world.provider.requests.at(-1)?.settings ?? {}), false, 'providers do not see it');
  const high = await turn(low.tip, { settings: { max_cost_usd: 100 } });
  assert.equal(high.error?.[1], 'This turn has cost $2.40, and the limit of a turn is $1.00.');
});

test('[TU138] a day’s limit counts all conversations of the day, and going beyond it is an owner’s to say', async () => {
  const { world, engine, person, turn } = await spending(
    [looking(0.7), costing(0.1, say('done')), costing(0.1, say('next')), looking(0.9), costing(0.1, say('last'))],
    { day: 0.8 },
  );
  const first = await turn(await world.say('go'));
  assert.equal(first.end, 'done');
  const stopped = await turn(await world.say('more'));
  assert.deepEqual(stopped.error, [
    'spending-limit',
    'Today’s calls have cost $0.80, and the limit of a day is $0.80.',
  ]);
  assert.equal(world.provider.requests.length, 2, 'nothing was sent');
  const params = { node: stopped.tip, provider: 'scripted', model: 'one', beyond_limits: true };
  const denied = await engine.call('turn.start', person('writer'), params);
  assert.equal(denied.ok ? '' : denied.refusal.reason, 'not-permitted');
  assert.equal((await turn(stopped.tip, { beyond_limits: true })).end, 'done');
  const again = await turn(await world.say('and more'), { beyond_limits: true });
  assert.equal(again.end, 'limit', 'it may spend as much again, and no more');
  world.clock.advance(24 * 3_600_000);
  assert.equal((await turn(again.tip)).end, 'done', 'the next day is another one');
});

test('[TU139] where a cost is unknown no limit can be kept: that is said, unless a person lets the turn go on', async () => {
  const { world, turn } = await spending([looking(undefined), looking(undefined), say('done')], { turn: 1 });
  const stopped = await turn(await world.say('go'));
  assert.equal(stopped.end, 'limit');
  assert.equal(stopped.error?.[0], 'unknown-cost');
  assert.match(stopped.error?.[1] ?? '', /the cost of scripted\/one is unknown/u);
  assert.equal((await turn(stopped.tip, { beyond_limits: true })).end, 'done');
});

test('[TU139] without limits nothing is asked, and limits that cannot be read are none that are not there', async () => {
  const free = await spending([looking(undefined), say('done')], {});
  assert.equal((await free.turn(await free.world.say('go'))).end, 'done');
  const world = await createWorld([say('done')]);
  const failing = world.another({ spendingLimits: () => Promise.reject(new Error('torn')), exclusive: true });
  const params = { node: await world.say('go'), provider: 'scripted', model: 'one' };
  const started = await failing.turns.generate({ agent: 'ann', id: world.ids.next() }, world.root, params);
  assert.ok(started.ok);
  assert.equal(await failing.turns.wait(started.value.turns[0] ?? ''), 'limit');
});

test('[TU129] [OP140] a turn that has reached a limit waits for a person like a call, and an approval lets the same model go on, once', async () => {
  const { world, engine, person, turn } = await spending(
    [looking(1), costing(0.1, say('done')), costing(0.1, say('twice'))],
    { turn: 1 },
  );
  const stopped = await turn(await world.say('go'));
  const waiting = async () => {
    const listed = await engine.call('turn.waiting', person('reader'), {});
    return listed.ok ? listed.value.items : [];
  };
  const [asked, ...others] = await waiting();
  assert.deepEqual([asked?.node, asked?.tool, asked?.model, others], [stopped.tip, 'spending-limit', 'one', []]);
  assert.match(JSON.stringify(asked?.ask), /has cost \$1\.00.*may spend as much again/u);
  const roots = await engine.call('root.list', person(), {});
  assert.deepEqual(roots.ok ? roots.value.items.map(({ needs }) => needs) : [], [[stopped.tip]]);
  const board = async () => {
    const listed = await engine.call('board.list', person('reader'), {});
    return listed.ok ? listed.value.items.map(({ state, waits }) => [state, waits]) : [];
  };
  assert.deepEqual(await board(), [['waiting', [stopped.tip]]]);
  const decide = (role: Caller['role'], more: { decision: 'approved' | 'answered'; arguments?: string }) =>
    engine.call('turn.decide', person(role), { node: stopped.tip, arguments: asked?.arguments ?? '', ...more });
  const reasons = [
    await decide('writer', { decision: 'approved' }),
    await decide('owner', { decision: 'approved', arguments: '{}' }),
    await decide('owner', { decision: 'answered' }),
  ].map((outcome) => (outcome.ok ? '' : outcome.refusal.reason));
  assert.deepEqual(reasons, ['not-permitted', 'call-changed', 'invalid-params']);
  const outcomes = await Promise.all([
    decide('owner', { decision: 'approved' }),
    decide('owner', { decision: 'approved' }),
  ]);
  const begun = outcomes.flatMap((outcome) => (outcome.ok ? [outcome.value.turn] : []));
  assert.equal(begun.length, 1, 'of two decisions one counts');
  assert.equal(await engine.turns.wait(begun[0] ?? ''), 'done');
  assert.deepEqual(
    world.provider.requests.at(-1)?.tools.map(({ name }) => name),
    ['look'],
  );
  assert.equal(world.provider.requests.length, 2);
  assert.deepEqual([await waiting(), await board()], [[], []]);
  const audit = await engine.call('approval.list', person(), {});
  const facts = audit.ok ? audit.value.items.map(({ tool, decision, by, node }) => [tool, decision, by, node]) : [];
  assert.deepEqual(facts, [['spending-limit', 'approved', 'ann', stopped.tip]]);
  await engine.close();
});

test('[TU129] a limit that is left, or that something was said below, no longer waits', async () => {
  const { world, engine, person, turn } = await spending([looking(1), looking(1)], { turn: 1 });
  const needs = async () => {
    const listed = await engine.call('turn.waiting', person(), {});
    return listed.ok ? listed.value.items : [];
  };
  const first = await turn(await world.say('go'));
  const messages = [{ role: 'user' as const, content: 'leave it' }];
  const said = await engine.call('node.append', person(), { parent: first.tip, messages });
  assert.ok(said.ok);
  assert.deepEqual(await needs(), []);
  const second = await turn(said.value.nodes[0] ?? '');
  const [asked] = await needs();
  assert.equal(asked?.node, second.tip);
  const exact = asked?.arguments ?? '';
  const denial = { node: second.tip, decision: 'denied' as const, arguments: exact, text: 'too much' };
  assert.ok((await engine.call('turn.decide', person('writer'), denial)).ok);
  assert.deepEqual(await needs(), []);
  assert.equal(world.provider.requests.length, 2, 'nothing goes on');
  const again = await engine.call('turn.decide', person(), denial);
  assert.equal(again.ok ? '' : again.refusal.reason, 'turn-ended');
  await engine.close();
});
