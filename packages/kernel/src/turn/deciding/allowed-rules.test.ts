import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PermissionRule } from '../../op.ts';
import type { Tool } from '../../tool.ts';
import { call, say } from '../../testing/scripted-provider.ts';
import { createWorld, echoTool, until } from '../../testing/world.ts';

type World = Awaited<ReturnType<typeof createWorld>>;

/** Runs a file of its choice, and says which one a rule would be about. */
const shell: Tool = {
  ...echoTool('sh'),
  prepare: async ({ parameters }) => ({
    permission: 'ask',
    rules: [{ tool: 'sh', command: String(parameters['file']), effect: 'allow' }],
  }),
};

const asked = async (world: World) => (await world.nodes()).filter(({ ask }) => ask !== undefined);

async function decide(world: World, node: string, exact: string, scope: 'once' | 'conversation'): Promise<void> {
  const request = { agent: 'ann', id: world.ids.next(), type: 'person' as const };
  const decision = { node, decision: 'approved' as const, arguments: exact, scope };
  assert.ok((await world.engine.turns.decide(request, world.root, decision)).ok);
}

test('[TU104][TU122] a call whose rules were allowed for longer runs unasked; one that was allowed once, or has another rule, asks', async () => {
  const world = await createWorld(
    [
      call(['a', 'sh', '{"file":"x"}']),
      call(['b', 'sh', '{"file":"x"}']),
      call(['c', 'sh', '{"file":"x"}']),
      call(['d', 'sh', '{"file":"y"}']),
      say('done'),
    ],
    [shell],
  );
  const ended = world.engine.turns.wait(await world.answer(await world.say('go')));
  for (const [scope, exact] of [
    ['once', 'x'],
    ['conversation', 'x'],
    ['once', 'y'],
  ] as const) {
    await until(async () => (await asked(world)).length === 1);
    const [waiting] = await asked(world);
    const written = `{"file":"${exact}"}`;
    assert.deepEqual(
      waiting?.ask?.rules?.map(({ command }) => command),
      [exact],
    );
    await decide(world, waiting?.id ?? '', written, scope);
    await until(async () => (await world.state()).nodes.get(waiting?.id ?? '')?.tool === 'result');
  }
  assert.equal(await ended, 'done');
  const files = ['x', 'x', 'x', 'y'].map((file) => `sh {"file":"${file}"}`);
  assert.deepEqual(world.ran, files);
  const by = [...(await world.state()).approvals.values()].map(({ by: agent, scope, rules }) => [
    agent,
    scope,
    rules?.length,
  ]);
  const asWanted = [
    ['ann', 'once', undefined],
    ['ann', 'conversation', 1],
    ['loom:rule', undefined, 1],
    ['ann', 'once', undefined],
  ];
  assert.deepEqual(
    by,
    asWanted,
    'a person was not asked about the third of them, and the log says which rule let it run',
  );
});

test('[TU105] allowing a rule for longer also allows the calls of the turn that wait for the same rule', async () => {
  const world = await createWorld(
    [call(['a', 'sh', '{"file":"x"}'], ['b', 'sh', '{ "file": "x" }'], ['c', 'sh', '{"file":"y"}']), say('done')],
    [shell],
  );
  const ended = world.engine.turns.wait(await world.answer(await world.say('go')));
  await until(async () => (await asked(world)).length === 3);
  const [first, second, third] = await asked(world);
  await decide(world, first?.id ?? '', '{"file":"x"}', 'conversation');
  await until(async () => (await world.nodes()).filter(({ tool }) => tool === 'result').length === 2);
  assert.deepEqual(
    (await asked(world)).map(({ id }) => id),
    [third?.id],
  );
  const { arguments: exact, by, scope } = (await world.state()).approvals.get(second?.id ?? '') ?? {};
  assert.deepEqual([exact, by, scope], ['{ "file": "x" }', 'ann', 'conversation']);
  await decide(world, third?.id ?? '', '{"file":"y"}', 'once');
  assert.equal(await ended, 'done');
});

test('[TU107] a decided call keeps what was said with the decision, live as after a reload', async () => {
  const questions = [{ text: 'Which color?', choices: [{ label: 'red' }, { label: 'blue' }] }, { text: 'And why?' }];
  const asking: Tool = { ...echoTool('ask'), prepare: async () => ({ permission: 'question', questions }) };
  const world = await createWorld(
    [call(['a', 'ask', '{}'], ['b', 'sh', '{"file":"x"}']), say('done')],
    [asking, shell],
  );
  const ended = world.engine.turns.wait(await world.answer(await world.say('go')));
  await until(async () => (await asked(world)).length === 2);
  const [question, command] = await asked(world);
  const answers = [{ chosen: ['blue'] }, { text: 'the sky' }];
  const changed = '{"file":"z"}';
  const request = () => ({ agent: 'ann', id: world.ids.next(), type: 'person' as const });
  const { turns } = world.engine;
  const answer = { node: question?.id ?? '', decision: 'answered' as const, arguments: '{}', answers };
  assert.ok((await turns.decide(request(), world.root, answer)).ok);
  const allow = {
    node: command?.id ?? '',
    decision: 'approved' as const,
    arguments: '{"file":"x"}',
    scope: 'conversation' as const,
  };
  assert.ok((await turns.decide(request(), world.root, { ...allow, arguments_changed: changed })).ok);
  assert.equal(await ended, 'done');
  const rules = [{ tool: 'sh', command: 'x', effect: 'allow' }];
  for (const state of [await world.state(), await world.another().forest.log(world.root).state()]) {
    const { at: _at, ...given } = state.nodes.get(question?.id ?? '')?.decided ?? {};
    assert.deepEqual(given, { decision: 'answered', by: 'ann', answers, questions });
    const { at: _when, ...allowed } = state.nodes.get(command?.id ?? '')?.decided ?? {};
    assert.deepEqual(allowed, {
      decision: 'approved',
      by: 'ann',
      scope: 'conversation',
      rules,
      arguments_changed: changed,
    });
  }
  assert.deepEqual(world.ran, ['ask {}', `sh ${changed}`]);
});

test('[TU121] a decision that reaches beyond the conversation stores the rules as they were shown, with the folder where it ends there', async () => {
  for (const scope of ['folder', 'anywhere'] as const) {
    const kept: unknown[] = [];
    const keeper = { add: async (rule: PermissionRule, by: string) => void kept.push({ ...rule, by }) };
    const calls = [call(['a', 'sh', '{"file":"x"}']), say('done')];
    const world = await createWorld(calls, [shell], Infinity, undefined, keeper);
    const request = () => ({ agent: 'ann', id: world.ids.next(), type: 'person' as const });
    const owner = { ...request(), role: 'owner' as const, door: 'library' as const };
    assert.ok(
      (await world.engine.call('root.configure', owner, { root: world.root, config: { directory: '/code' } })).ok,
    );
    const ended = world.engine.turns.wait(await world.answer(await world.say('go')));
    await until(async () => (await asked(world)).length === 1);
    const [waiting] = await asked(world);
    const decision = { node: waiting?.id ?? '', decision: 'approved' as const, arguments: '{"file":"x"}', scope };
    const wrong = { ...decision, arguments: '{}' };
    assert.ok(!(await world.engine.turns.decide(request(), world.root, wrong)).ok);
    assert.deepEqual(kept, [], 'a decision that is refused stores nothing');
    assert.ok((await world.engine.turns.decide(request(), world.root, decision)).ok);
    assert.equal(await ended, 'done');
    const place = scope === 'folder' ? { directory: '/code' } : {};
    assert.deepEqual(kept, [{ tool: 'sh', command: 'x', effect: 'allow', ...place, by: 'ann' }]);
  }
});

test('[TU121] without a place for rules a decision reaches no further than the conversation', async () => {
  const world = await createWorld([call(['a', 'sh', '{"file":"x"}']), say('done')], [shell]);
  await world.answer(await world.say('go'));
  await until(async () => (await asked(world)).length === 1);
  const [waiting] = await asked(world);
  const request = { agent: 'ann', id: world.ids.next(), type: 'person' as const };
  const decision = {
    node: waiting?.id ?? '',
    decision: 'approved' as const,
    arguments: '{"file":"x"}',
    scope: 'anywhere' as const,
  };
  const refused = await world.engine.turns.decide(request, world.root, decision);
  assert.equal(refused.ok ? '' : refused.refusal.reason, 'invalid-params');
});
