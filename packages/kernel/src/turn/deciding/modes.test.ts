import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApprovalMode } from '../../op.ts';
import type { Tool } from '../../tool.ts';
import { call, say } from '../../testing/scripted-provider.ts';
import { createWorld, echoTool, until } from '../../testing/world.ts';

type World = Awaited<ReturnType<typeof createWorld>>;

/** Offers two modes in plan mode, and says which one it runs in. */
function plan(seen: (ApprovalMode | undefined)[]): Tool {
  return {
    ...echoTool('plan'),
    modes: ['plan'],
    prepare: async (_invocation, { approvalMode }) => {
      seen.push(approvalMode);
      return { permission: 'ask', modes: ['ask', 'edit'] };
    },
    run: async (_invocation, { approvalMode }) => {
      seen.push(approvalMode);
      return { content: [] };
    },
  };
}

async function planning(tools: readonly Tool[], mode: ApprovalMode = 'plan', calls = 1): Promise<World> {
  const scripts = Array.from({ length: calls }, (_, index) => call([`c${index}`, 'plan', '{}']));
  const world = await createWorld([...scripts, say('done')], [...tools]);
  await world.engine.call('root.configure', person(world), { root: world.root, config: { approval_mode: mode } });
  return world;
}

const person = (world: World) => ({
  agent: 'ann',
  type: 'person' as const,
  role: 'owner' as const,
  door: 'library' as const,
  id: world.ids.next(),
});

async function waiting(world: World): Promise<string> {
  await until(async () => (await world.nodes()).some(({ ask }) => ask !== undefined));
  return (await world.nodes()).find(({ ask }) => ask !== undefined)?.id ?? '';
}

const modeOf = async (world: World) => (await world.state()).config['approval_mode'];

test('[TU132] approving a call sets the mode that the person names, or the first that it offers', async () => {
  for (const mode of [undefined, 'edit'] as const) {
    const seen: (ApprovalMode | undefined)[] = [];
    const world = await planning([plan(seen)]);
    const ended = world.engine.turns.wait(await world.answer(await world.say('go')));
    const node = await waiting(world);
    const before = (await world.state()).seq;
    const decision = { node, decision: 'approved' as const, arguments: '{}', ...(mode === undefined ? {} : { mode }) };
    assert.ok((await world.engine.call('turn.decide', person(world), decision)).ok);
    assert.equal(
      (await world.engine.forest.log(world.root).past.stateAt(before + 1)).config['approval_mode'],
      mode ?? 'ask',
    );
    assert.equal(await ended, 'done');
    assert.deepEqual(seen, ['plan', mode ?? 'ask'], 'the call runs in the new mode');
    assert.equal((await world.state()).config.systemPrompt, 'Be brief.', 'everything else in the config stays');
  }
});

test('[TU132] a mode that was not offered, or with a denial, is refused and changes nothing', async () => {
  const world = await planning([plan([])]);
  const ended = world.engine.turns.wait(await world.answer(await world.say('go')));
  const node = await waiting(world);
  const refused = [
    { decision: 'approved' as const, mode: 'sandbox' as const },
    { decision: 'denied' as const, mode: 'edit' as const },
  ];
  for (const said of refused) {
    const outcome = await world.engine.call('turn.decide', person(world), { node, arguments: '{}', ...said });
    assert.equal(outcome.ok ? '' : outcome.refusal.reason, 'invalid-params');
  }
  assert.equal(await modeOf(world), 'plan');
  const denied = { node, decision: 'denied' as const, arguments: '{}', text: 'Think again.' };
  assert.ok((await world.engine.call('turn.decide', person(world), denied)).ok);
  assert.equal(await ended, 'done');
  assert.equal(await modeOf(world), 'plan');
});

test('[TU133] another mode applies to the next call of a running turn', async () => {
  const seen: (ApprovalMode | undefined)[] = [];
  const world = await planning([plan(seen)], 'ask', 2);
  const ended = world.engine.turns.wait(await world.answer(await world.say('go')));
  for (const mode of ['plan', 'plan'] as const) {
    const node = await waiting(world);
    await world.engine.call('root.configure', person(world), { root: world.root, config: { approval_mode: mode } });
    const denied = { node, decision: 'denied' as const, arguments: '{}' };
    assert.ok((await world.engine.call('turn.decide', person(world), denied)).ok);
    await until(async () => (await world.nodes()).every(({ id, ask }) => id !== node || ask === undefined));
  }
  assert.equal(await ended, 'done');
  assert.deepEqual(seen, ['ask', 'plan']);
});
