import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readRootSettings } from '../../root-settings.ts';
import type { ProviderEvent } from '../../provider.ts';
import { withFaults } from '@loom/stores/memory';
import { createWorld, until } from '../../testing/world.ts';
import { end, ownCall, play, result, start, text, wordsOf } from '../testing/played-events.ts';

test('[TU35] the words of an agent that was sent out are a conversation of its own, which the result of the call names', async () => {
  const { world, ended } = await play([
    start,
    ownCall('c'),
    { type: 'child', child: 'agent-1', call: 'c', prompt: 'look around' },
    text('I looked', 'm', 'agent-1'),
    result('c', { type: 'text', text: 'nothing there' }),
    { type: 'tool-state', call: 'c', state: 'result' },
    text('nothing', 'n'),
    end,
  ]);
  assert.equal(ended, 'done');
  const task = (await world.nodes()).find(({ role }) => role === 'tool');
  const [link] = task?.blocks ?? [];
  assert.ok(link?.type === 'conversation' && task?.tool === 'result');
  const child = await world.engine.forest.log(link.root).state();
  assert.deepEqual(
    [...child.nodes.values()].map(({ role, blocks }) => [role, ...wordsOf(blocks)]),
    [
      ['user', 'look around'],
      ['assistant', 'I looked'],
    ],
  );
  assert.deepEqual(readRootSettings(child.config).origin, { source: 'loom', id: task.id });
  assert.equal(child.liveTurns.size, 0);
});

test('[TU48] an agent whose conversation cannot be ended fails the turn; those of the others are ended, and it is closed later', async () => {
  const script: ProviderEvent[] = [
    start,
    ownCall('c'),
    { type: 'child', child: 'agent-1', call: 'c', prompt: 'look around' },
    { type: 'child', child: 'agent-2', call: 'c', prompt: 'look up' },
    text('I looked', 'm', 'agent-1'),
    text('I looked up', 'm', 'agent-2'),
    result('c', { type: 'text', text: 'nothing there' }),
    end,
  ];
  const world = await createWorld([script]);
  let failing: string | undefined;
  const store = withFaults(world.store.share(), ({ log, request }) => {
    const isEnd = request.records.some((record) => record.text.includes('"turn-ended"'));
    if (log === world.root || !isEnd) return undefined;
    failing ??= log;
    return log === failing ? 'fail-before' : undefined;
  });
  const engine = world.another({ store });
  const params = { node: await world.say('go'), provider: 'scripted', model: 'one' };
  const started = await engine.turns.generate({ agent: 'person', id: 'go' }, world.root, params);
  assert.ok(started.ok);
  const failed = assert.rejects(engine.turns.wait(started.value.turns[0] ?? ''), { code: 'store-failed' });
  await until(() => failing !== undefined);
  for (let second = 0; second < 20; second += 1) await world.clock.advanceAndRest(1_000);
  await failed;
  const links = (await world.nodes()).flatMap(({ blocks }) => blocks.filter((block) => block.type === 'conversation'));
  const reader = world.another({ holder: 'reader' });
  const live = async (): Promise<number[]> =>
    Promise.all(links.map(async ({ root }) => (await reader.forest.log(root).state()).liveTurns.size));
  assert.deepEqual(await live(), [1, 0]);
  for (const { root } of links) await reader.recover(root);
  assert.deepEqual(await live(), [0, 0]);
});

test('[TU35] an agent whose conversation a person has stopped does not fail the turn that sent it out', async () => {
  const held = Promise.withResolvers<void>();
  const world = await createWorld([
    async function* () {
      yield start;
      yield ownCall('c');
      yield { type: 'child', child: 'agent-1', call: 'c', prompt: 'look around' };
      yield text('I looked', 'm', 'agent-1');
      await held.promise;
      yield result('c', { type: 'text', text: 'stopped' });
      yield text('it was stopped', 'n');
      yield end;
    },
  ]);
  const turn = await world.answer(await world.say('go'));
  const links = async () =>
    (await world.nodes()).flatMap(({ blocks }) => blocks.filter((block) => block.type === 'conversation'));
  await until(async () => (await links()).length === 1);
  const [link] = await links();
  const { liveTurns } = await world.engine.forest.log(link?.root ?? '').state();
  const [child = ''] = liveTurns;
  const stopped = await world.engine.turns.abort({ agent: 'person', id: 'stop' }, link?.root ?? '', child);
  assert.ok(stopped.ok);
  held.resolve();
  assert.equal(await world.engine.turns.wait(turn), 'done');
});

test('[PV17] more agents than 100 in one call end it with an error that says so; those before are there', async () => {
  const agents = Array.from({ length: 101 }, (_, index) => index);
  const { world, ended } = await play([
    start,
    ownCall('c'),
    ...agents.map((index): ProviderEvent => ({ type: 'child', child: `agent-${index}`, call: 'c' })),
    end,
  ]);
  assert.equal(ended, 'error');
  const nodes = await world.nodes();
  const error = nodes.flatMap(({ blocks }) => blocks).find(({ type }) => type === 'error');
  assert.match(error?.type === 'error' ? error.message : '', /more than 100 children in one call/u);
  assert.equal((await world.engine.forest.roots()).length, 101);
});
