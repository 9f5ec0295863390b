import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import type { ProviderEvent } from '../../provider.ts';
import type { Outcome } from '../../refusal.ts';
import { call, say } from '../../testing/scripted-provider.ts';
import { createWorld, echoTool, until } from '../../testing/world.ts';
import type { World } from '../../testing/world.ts';
import type { RootState } from '../../state/root-state.ts';
import type { NodeSeed } from '../../op.ts';
import { end, ownCall, result, start, text } from '../../turn/testing/played-events.ts';
import type { Caller } from '../operation.ts';
import type { ParamsOf, ResultOf } from '../table.ts';

let requests = 0;

function by(given: Partial<Caller> = {}): Caller {
  requests += 1;
  return { agent: 'person', type: 'person', role: 'owner', door: 'library', id: `call-${requests}`, ...given };
}

function value<T>(outcome: Outcome<T>): T {
  return outcome.ok ? outcome.value : assert.fail(JSON.stringify(outcome.refusal));
}

async function list(
  { engine }: World,
  params: ParamsOf<'board.list'> = {},
  caller = by(),
): Promise<ResultOf<'board.list'>['items']> {
  return value(await engine.call('board.list', caller, params)).items;
}

const beginning = '2026-01-01T00:00:00.000Z';

test('[OP140] a turn stands on the board while it waits and runs, and after its end for those who ask for that time', async () => {
  const world = await createWorld(
    [call(['c1', 'shell', '{"command":"npm test"}']), say('Well.\nAll tests pass.\n')],
    [echoTool('shell', 'ask')],
  );
  const { engine, root, clock } = world;
  value(await engine.call('root.configure', by(), { root, config: { directory: '/home/user/tides' } }));
  value(await engine.call('root.mark', by(), { root, title: 'Tests' }));
  assert.deepEqual(await list(world), []);
  const turn = await world.answer(await world.say('go'));
  await until(async () => (await list(world))[0]?.state === 'waiting');
  const [row = assert.fail()] = await list(world);
  const { node, waits, ...facts } = row;
  assert.deepEqual(waits, [node]);
  assert.deepEqual(facts, {
    root,
    root_title: 'Tests',
    opening: 'go',
    id: turn,
    turn,
    provider: 'scripted',
    model: 'one',
    state: 'waiting',
    directory: '/home/user/tides',
    started_at: beginning,
    changed_at: beginning,
    last: { tool: 'shell', parameters: { command: 'npm test' } },
  });
  assert.deepEqual(await list(world, {}, by({ roots: [] })), []);
  clock.advance(5_000);
  value(await engine.call('turn.decide', by(), { node, decision: 'approved', arguments: '{"command":"npm test"}' }));
  await engine.turns.wait(turn);
  assert.deepEqual(await list(world), [], 'nothing runs');
  const [ended = assert.fail()] = await list(world, { since: beginning });
  assert.deepEqual(
    [ended.state, ended.ended, ended.changed_at, ended.last],
    ['done', 'done', '2026-01-01T00:00:05.000Z', { text: 'All tests pass.' }],
  );
  assert.deepEqual(await list(world, { since: '2026-01-01T00:00:06.000Z' }), []);
  assert.equal((await list(world, { since: beginning, roots: [root] })).length, 1);
  value(await engine.call('root.mark', by(), { root, archived: true }));
  assert.deepEqual(await list(world, { since: beginning }), []);
});

test('[OP140] those that wait come first, the oldest first, then those that run, then the ended ones, newest first', async () => {
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  const waiting = async function* (): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    await told;
    yield { type: 'call-error', error: { code: 'refused', message: 'no' } };
  };
  const asking = call(['c1', 'shell', '{}']);
  const scripts = [asking, say('ok'), waiting, asking, say('ok')];
  const world = await createWorld(scripts, [echoTool('shell', 'ask')]);
  const { engine, clock } = world;
  const rows = async (): Promise<string[]> =>
    (await list(world, { since: beginning })).map(({ opening, state }) => `${opening} ${state}`);
  const begin = async (words: string, state: string): Promise<{ root: string; turn: string }> => {
    const { root } = value(await engine.call('root.create', by(), {}));
    const messages = [{ role: 'user' as const, content: words }];
    const { nodes } = value(await engine.call('node.append', by(), { parent: root, messages }));
    const params = { node: nodes[0] ?? '', provider: 'scripted', model: 'one', tools: ['shell'] };
    const { turns } = value(await engine.call('turn.start', by(), params));
    await until(async () => (await rows()).includes(`${words} ${state}`));
    clock.advance(60_000);
    return { root, turn: turns[0] ?? '' };
  };
  await begin('first', 'waiting');
  await begin('second', 'done');
  const third = await begin('third', 'running');
  await until(() => world.provider.requests.length === 3);
  const fourth = await begin('fourth', 'waiting');
  await begin('fifth', 'done');
  assert.deepEqual(await rows(), ['first waiting', 'fourth waiting', 'third running', 'fifth done', 'second done']);
  value(await engine.call('turn.abort', by(), fourth));
  await engine.turns.wait(fourth.turn);
  clock.advance(1_000);
  tell();
  await engine.turns.wait(third.turn);
  assert.deepEqual(await rows(), ['first waiting', 'third failed', 'fourth stopped', 'fifth done', 'second done']);
  const page = value(await engine.call('board.list', by(), { since: beginning, limit: 2 }));
  const next = value(await engine.call('board.list', by(), { since: beginning, after: page.next ?? '' }));
  assert.deepEqual(
    [...page.items, ...next.items].map(({ opening }) => opening),
    ['first', 'third', 'fourth', 'fifth', 'second'],
  );
});

test('[OP140] what a turn has cost and which files it changed is summed up, and the work of its sub-agents is counted', async () => {
  const diff = '--- a\n+++ b\n@@ -1,2 +1,3 @@\n one\n-two\n+2\n+3\n';
  const changing = echoTool('edit', 'run', async () => ({
    content: [{ type: 'file-change', changes: [{ path: 'a.ts', kind: 'modify', diff }] }],
  }));
  const costly = (script: ProviderEvent[], cost: number): ProviderEvent[] =>
    script.map((event) => (event.type === 'usage' ? { ...event, usage: { ...event.usage, cost_usd: cost } } : event));
  const long = JSON.stringify({ path: 'a.ts', content: 'x'.repeat(5_000) });
  const { promise: told, resolve: tell } = Promise.withResolvers<void>();
  const working = async function* (): AsyncGenerator<ProviderEvent> {
    yield start;
    yield ownCall('c9');
    yield { type: 'child', child: 'agent-1', call: 'c9', prompt: 'count' };
    yield text('I count', 'm', 'agent-1');
    await told;
    yield result('c9', { type: 'text', text: '3' });
    yield end;
  };
  const world = await createWorld(
    [costly(call(['c1', 'edit', long]), 0.25), costly(say('Done'), 0.5), working],
    [changing],
  );
  const { engine, root } = world;
  await engine.turns.wait(await world.answer(await world.say('go')));
  const [row = assert.fail()] = await list(world, { since: beginning });
  assert.deepEqual([row.cost_usd, row.files], [0.75, { count: 1, added: 2, removed: 1 }]);
  const turn = await world.answer(await world.say('and'));
  await until(async () => (await list(world))[0]?.agents === 1);
  const [atWork = assert.fail()] = await list(world);
  assert.deepEqual(atWork.last, { tool: 'search', parameters: {} });
  assert.deepEqual(
    (await list(world)).map((item) => item.root),
    [root],
    'a sub-agent has no row',
  );
  tell();
  await engine.turns.wait(turn);
});

test('[OP141] a session of another program runs until it has answered, or is silent for ten minutes', async () => {
  const world = await createWorld();
  const { engine, clock } = world;
  const origin = { source: 'claude-code', id: 's-1' };
  const { root } = value(await engine.call('root.create', by(), { config: { origin, directory: '/home/user/tides' } }));
  const add = async (seed: Omit<NodeSeed, 'id' | 'parent' | 'source' | 'origin'>): Promise<void> => {
    const model = { type: 'model' as const, provider: 'anthropic', model_name: 'claude-opus-5-5', parameters: {} };
    const decide = (state: RootState) => {
      const [last] = state.recentLeaves(1);
      const id = state.newNodeId();
      const source = seed.role === 'assistant' ? model : { type: 'user' as const };
      const named = { id, parent: last?.id ?? root, source, origin: { source: 'claude-code', id } };
      return { ok: true as const, ops: [{ type: 'node-added' as const, node: { ...seed, ...named } }], value: null };
    };
    const written = await engine.forest.change({ agent: 'importer', id: by().id }, root, z.null(), decide);
    assert.ok(written.ok, JSON.stringify(written));
  };
  await add({ role: 'user', blocks: [{ type: 'text', text: 'speed it up', block_id: `${root}/@importer/1` }] });
  const [row = assert.fail()] = await list(world);
  assert.partialDeepStrictEqual(row, { id: root, provider: 'claude-code', state: 'running', followed: true });
  assert.equal('turn' in row, false);
  clock.advance(10 * 60_000);
  assert.deepEqual(await list(world), []);
  assert.equal((await list(world, { since: beginning }))[0]?.state, 'done');
  await add({
    role: 'assistant',
    blocks: [{ type: 'text', text: 'It is fast now.', block_id: `${root}/@importer/2` }],
  });
  assert.deepEqual(await list(world), []);
  const [ended] = await list(world, { since: beginning });
  assert.partialDeepStrictEqual(ended, { state: 'done', model: 'claude-opus-5-5', last: { text: 'It is fast now.' } });
});
