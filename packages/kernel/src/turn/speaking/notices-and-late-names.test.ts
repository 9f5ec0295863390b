import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderCall, ProviderEvent, ProviderRequest } from '../../provider.ts';
import { createWorld, until } from '../../testing/world.ts';
import { end, play, start, text, wordsOf } from '../testing/played-events.ts';

const origin = (id: string) => ({ source: 'agent', id });

test('[TU150] a message that an agent’s program wrote stands where its model read it, marked and named, and is not answered', async () => {
  const { world, ended } = await play([
    start,
    text('one', 'a'),
    {
      type: 'notice',
      message: 'n',
      kind: 'nudge',
      blocks: [{ type: 'text', text: 'Go on.' }],
      origin: origin('u1'),
      keys: ['u1'],
    },
    text('two', 'b'),
    { type: 'notice', message: 'o', kind: 'interrupted', blocks: [{ type: 'text', text: 'Stopped.' }] },
    end,
  ]);
  assert.equal(ended, 'done');
  for (const state of [await world.state(), await world.another().forest.log(world.root).state()]) {
    const [, , notice, second, last] = state.nodes.values();
    assert.deepEqual(
      [...state.nodes.values()].map(({ role, blocks }) => [role, ...wordsOf(blocks)]),
      [
        ['user', 'go'],
        ['assistant', 'one'],
        ['user', 'Go on.'],
        ['assistant', 'two'],
        ['user', 'Stopped.'],
      ],
    );
    assert.deepEqual([notice?.notice, notice?.origin], [{ kind: 'nudge' }, origin('u1')]);
    assert.deepEqual(notice?.note, { exported: { agent: { id: 'u1', keys: ['u1'] } } });
    assert.equal(second?.parent, notice?.id);
    assert.deepEqual([last?.parent, last?.origin], [second?.id, undefined]);
  }
});

test('[TU150] a notice does not go on with a message that there is', async () => {
  const { world, ended } = await play([
    start,
    text('one', 'a'),
    { type: 'notice', message: 'a', kind: 'nudge', blocks: [{ type: 'text', text: 'x' }] },
    end,
  ]);
  assert.equal(ended, 'error');
  assert.match(JSON.stringify((await world.nodes()).at(-1)?.blocks), /the message a changes its role/u);
});

test('[TU151] an agent that was stopped may still name its messages, and says nothing else', async () => {
  const world = await createWorld();
  const agent = {
    id: 'agent',
    runsTools: true,
    async *stream(_request: ProviderRequest, call: ProviderCall): AsyncGenerator<ProviderEvent> {
      yield start;
      yield { type: 'block-start', key: 'k', message: 'a', role: 'assistant', block: { type: 'text', text: '' } };
      yield { type: 'block-delta', key: 'k', field: 'text', text: 'half' };
      if (!call.signal.aborted) await new Promise((resolve) => call.signal.addEventListener('abort', resolve));
      yield { type: 'named', message: 'a', origin: origin('u2'), keys: ['u2', 'u3'] };
      yield { type: 'block-delta', key: 'k', field: 'text', text: ' more' };
      yield { type: 'call-error', error: { code: 'stopped', message: 'stopped' } };
    },
  };
  const engine = world.another({ holder: 'late names', providers: [agent] });
  const params = { node: await world.say('go'), provider: 'agent', model: 'm' };
  const started = await engine.turns.generate({ agent: 'person', id: world.ids.next() }, world.root, params);
  assert.ok(started.ok);
  const [turn = ''] = started.value.turns;
  const log = engine.forest.log(world.root);
  await until(async () => [...(await log.state()).nodes.values()].some(({ role }) => role === 'assistant'));
  const over = engine.turns.wait(turn);
  assert.ok((await engine.turns.abort({ agent: 'person', id: world.ids.next() }, world.root, turn)).ok);
  await over;
  const node = [...(await log.state()).nodes.values()].at(-1);
  assert.deepEqual([node?.origin, wordsOf(node?.blocks ?? [])], [origin('u2'), ['half']]);
  assert.deepEqual(node?.note?.['exported'], { agent: { id: 'u2', keys: ['u2', 'u3'] } });
});

test('[TU152] the path of a request says the role of each message', async () => {
  const { world } = await play([start, text('one'), end]);
  const params = { node: await world.say('again'), provider: 'scripted', model: 'm' };
  const seen: unknown[] = [];
  const provider = {
    id: 'scripted',
    async *stream({ trail }: ProviderRequest): AsyncGenerator<ProviderEvent> {
      seen.push(...trail.map(({ role }) => role));
      yield start;
      yield text('two');
      yield end;
    },
  };
  const engine = world.another({ holder: 'roles', providers: [provider] });
  const started = await engine.turns.generate({ agent: 'person', id: world.ids.next() }, world.root, params);
  assert.ok(started.ok);
  await engine.turns.wait(started.value.turns[0] ?? '');
  assert.deepEqual(seen, ['user', 'assistant', 'user']);
});
