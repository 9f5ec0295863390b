import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ProviderCall, ProviderEvent, ProviderRequest } from '../../provider.ts';
import { createWorld, until } from '../../testing/world.ts';
import type { Caller } from '../operation.ts';

const call = (id: string): ProviderEvent => ({
  type: 'block',
  message: id,
  role: 'assistant',
  block: { type: 'tool-use', id, name: 'search', parameters: {}, executed: 'provider' },
});

const result = (id: string): ProviderEvent => ({
  type: 'block',
  message: `result ${id}`,
  role: 'tool',
  tool_call_id: id,
  block: { type: 'text', text: 'done' },
});

test('[OP64] a writer may answer a question and deny a call; approving one takes an owner', async () => {
  async function* asking(_request: ProviderRequest, provider: ProviderCall): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    for (const [id, kind] of [['a', 'ask'] as const, ['b', 'question'] as const, ['c', 'ask'] as const]) {
      yield call(id);
      await provider.decide(id, { kind, preview: [] });
      yield result(id);
    }
    yield { type: 'call-end', reason: 'stop' };
  }
  const world = await createWorld([asking]);
  const turn = await world.answer(await world.say('go'));
  const ended = world.engine.turns.wait(turn);
  const decide = async (role: Caller['role'], decision: 'approved' | 'denied' | 'answered'): Promise<string> => {
    await until(async () => (await world.nodes()).some(({ ask }) => ask !== undefined));
    const node = (await world.nodes()).find(({ ask }) => ask !== undefined)?.id ?? '';
    const caller: Caller = { agent: 'ann', type: 'person', role, door: 'http', id: world.ids.next() };
    const outcome = await world.engine.call('turn.decide', caller, { node, decision, arguments: '{}' });
    return outcome.ok ? 'done' : `${outcome.refusal.reason} ${String(Reflect.get(outcome.refusal, 'needs'))}`;
  };
  assert.equal(await decide('writer', 'approved'), 'not-permitted owner');
  assert.equal(await decide('owner', 'approved'), 'done');
  assert.equal(await decide('reader', 'answered'), 'not-permitted writer');
  assert.equal(await decide('writer', 'answered'), 'done');
  assert.equal(await decide('writer', 'denied'), 'done');
  assert.equal(await ended, 'done');
});
