import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApprovalParams } from '../deciding/approval-params.ts';
import type { ProviderCall, ProviderEvent, ProviderRequest } from '../../provider.ts';
import { createWorld, until } from '../../testing/world.ts';
import { end, ownCall, play, result, start, text } from '../testing/played-events.ts';

test('[TU37] a question that comes before its call was read waits for it', async () => {
  const said: string[] = [];
  async function* asking(_request: ProviderRequest, call: ProviderCall): AsyncGenerator<ProviderEvent> {
    const decided = call.decide('c', { kind: 'ask', preview: [] });
    yield start;
    yield text('let me look');
    yield ownCall('c');
    said.push((await decided).decision);
    yield result('c', { type: 'text', text: 'found' });
    yield end;
  }
  const world = await createWorld([asking]);
  const turn = await world.answer(await world.say('go'));
  await until(async () => (await world.nodes()).some(({ ask }) => ask !== undefined));
  const node = (await world.nodes()).find(({ ask }) => ask !== undefined)?.id ?? '';
  const request = { agent: 'person', id: world.ids.next(), type: 'person' as const };
  const decided = await world.engine.turns.decide(request, world.root, { node, decision: 'approved', arguments: '{}' });
  assert.ok(decided.ok);
  assert.equal(await world.engine.turns.wait(turn), 'done');
  assert.deepEqual(said, ['approved']);
});

test('[TU59] a decision has to fit what was asked: answers, scopes and changed arguments reach the provider', async () => {
  const rules = [{ tool: 'search', effect: 'allow' as const }];
  const choices = [{ label: 'red' }, { label: 'blue', detail: 'like the sky' }];
  const questions = [{ text: 'Which color?', choices }, { text: 'And why?' }];
  const heard: unknown[] = [];
  async function* asking(_request: ProviderRequest, call: ProviderCall): AsyncGenerator<ProviderEvent> {
    yield start;
    yield ownCall('a');
    heard.push(await call.decide('a', { kind: 'ask', preview: [], rules }));
    yield result('a', { type: 'text', text: 'done' });
    yield ownCall('b', 'n');
    heard.push(await call.decide('b', { kind: 'question', preview: [], questions }));
    yield result('b', { type: 'text', text: 'done' });
    yield end;
  }
  const world = await createWorld([asking]);
  const turn = await world.answer(await world.say('go'));
  const asked = async (): Promise<string> => {
    await until(async () => (await world.nodes()).some(({ ask }) => ask !== undefined));
    return (await world.nodes()).find(({ ask }) => ask !== undefined)?.id ?? '';
  };
  const decide = async (params: Omit<ApprovalParams, 'node' | 'arguments'>): Promise<unknown> => {
    const request = { agent: 'person', id: world.ids.next(), type: 'person' as const };
    const outcome = await world.engine.turns.decide(request, world.root, {
      node: await asked(),
      arguments: '{}',
      ...params,
    });
    if (outcome.ok) return 'ok';
    return outcome.refusal.reason === 'invalid-params' ? outcome.refusal.problems[0]?.path[0] : outcome.refusal.reason;
  };
  // An answer is not an approval: a person who may only answer must not let a call run.
  assert.equal(await decide({ decision: 'answered', text: 'yes' }), 'decision');
  assert.equal(await decide({ decision: 'approved', answers: [{ text: 'x' }] }), 'answers');
  assert.equal(await decide({ decision: 'approved', arguments_changed: '[1]' }), 'arguments_changed');
  assert.equal(await decide({ decision: 'denied', arguments_changed: '{}' }), 'arguments_changed');
  assert.equal(await decide({ decision: 'approved', scope: 'folder', arguments_changed: '{"a":1}' }), 'ok');
  assert.equal(await decide({ decision: 'answered', scope: 'anywhere', text: 'x' }), 'scope');
  assert.equal(await decide({ decision: 'answered', answers: [{ text: 'x' }] }), 'answers');
  assert.equal(await decide({ decision: 'answered', answers: [{ chosen: ['green'] }, { text: 'x' }] }), 'answers');
  assert.equal(
    await decide({ decision: 'answered', answers: [{ chosen: ['red', 'blue'] }, { text: 'x' }] }),
    'answers',
  );
  assert.equal(await decide({ decision: 'answered', answers: [{ chosen: ['red'] }, {}] }), 'answers');
  assert.equal(await decide({ decision: 'answered', answers: [{ chosen: ['blue'] }, { text: 'the sky' }] }), 'ok');
  assert.equal(await world.engine.turns.wait(turn), 'done');
  assert.deepEqual(heard, [
    { decision: 'approved', by: 'person', scope: 'folder', rules, parameters: { a: 1 } },
    { decision: 'answered', by: 'person', answers: [{ chosen: ['blue'] }, { text: 'the sky' }] },
  ]);
});

test('[PV60] names and sessions that come late stand on their nodes and the root, live as after a reload', async () => {
  const named = (id: string, message?: string): ProviderEvent => ({
    type: 'named',
    ...(message === undefined ? {} : { message }),
    origin: { source: 'agent', id },
    keys: [`${id}-1`],
  });
  const { world, ended } = await play([
    start,
    { type: 'session', source: 'agent', id: 's' },
    { type: 'session', source: 'agent', id: 's' },
    named('asked'),
    text('hello'),
    text('more', 'n'),
    { type: 'note', data: { turn: 7 }, message: 'm' },
    named('first', 'm'),
    named('again', 'm'),
    end,
  ]);
  assert.equal(ended, 'done');
  for (const state of [await world.state(), await world.another().forest.log(world.root).state()]) {
    assert.deepEqual(state.config['exported'], { agent: ['s'] });
    const [asked, first, second] = state.nodes.values();
    assert.deepEqual(
      [asked?.origin, asked?.note],
      [undefined, { exported: { agent: { id: 'asked', keys: ['asked-1'] } } }],
    );
    // A name is given once; what the program calls it later is known beside that.
    assert.deepEqual(first?.origin, { source: 'agent', id: 'first' });
    assert.deepEqual(first?.note, { turn: 7, exported: { agent: { id: 'again', keys: ['first-1', 'again-1'] } } });
    assert.equal(second?.note, undefined);
  }
  const { world: other, ended: failed } = await play([start, text('hello'), named('x', 'nowhere'), end]);
  assert.equal(failed, 'error');
  assert.match(JSON.stringify((await other.nodes()).at(-1)?.blocks), /the message nowhere was not begun/u);
});
