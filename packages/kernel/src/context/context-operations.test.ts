import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LoomEngine } from '../operations/calling/engine.ts';
import type { ProviderEvent } from '../provider.ts';
import type { Outcome } from '../refusal.ts';
import { call, say } from '../testing/scripted-provider.ts';
import { createWorld, echoTool } from '../testing/world.ts';
import type { Caller } from '../operations/operation.ts';

const caller: Caller = { agent: 'person', type: 'person', role: 'owner', id: 'x', door: 'library' };
const price = { input: 4, output: 20, cacheRead: 1 };

function value<T>(outcome: Outcome<T>): T {
  return outcome.ok ? outcome.value : assert.fail(JSON.stringify(outcome.refusal));
}

/** A conversation in which a model has called a tool and answered, and a person has said more. */
async function talked(answer = withCache(say('done'))) {
  const world = await createWorld([call(['c1', 'shell', '{}']), answer], [echoTool('shell')]);
  const question = await world.say('go');
  await world.engine.turns.wait(await world.answer(question));
  const leaf = await world.say('and now '.repeat(20));
  const catalogue = { capsOf: () => ({ contextWindow: 1000 }), priceOf: () => price };
  return { ...world, question, leaf, engine: world.another({ catalogue }) };
}

/** The answer of a model whose provider reports that it read some of the input from a cache. */
function withCache(events: ProviderEvent[]): ProviderEvent[] {
  return events.map((event) =>
    event.type === 'usage' ? { ...event, usage: { ...event.usage, cached_input_tokens: 4 } } : event,
  );
}

const sizeOf = async (engine: LoomEngine, params: { node: string; model?: string; tools?: string[] }) =>
  value(await engine.call('context.size', caller, params));

test('[CX24] the size of a context says how much of it the last call that began in the same way has read, and what it costs', async () => {
  const { engine, leaf, question } = await talked();
  const size = await sizeOf(engine, { node: leaf });
  const { tokens } = size;
  assert.ok(tokens > 15);
  assert.deepEqual(size, {
    provider: 'scripted',
    model: 'one',
    messages: 5,
    tokens,
    cached: 15,
    window: 1000,
    input_cost_usd: ((tokens - 15) * 4 + 15) / 1e6,
    uncached_cost_usd: (tokens * 4) / 1e6,
    invalid: 0,
    invalid_thinking: 0,
  });
  for (const other of [{ model: 'two' }, { tools: [] }]) {
    assert.equal((await sizeOf(engine, { node: leaf, ...other })).cached, 0, 'it begins in another way');
  }
  value(
    await engine.call('node.edit', { ...caller, id: 'edit' }, { node: question, content: 'run', mode: 'in-place' }),
  );
  const edited = await sizeOf(engine, { node: leaf });
  assert.equal(edited.cached, 0);
  assert.equal(edited.invalid_thinking, 1);
  assert.ok(edited.invalid > 1, 'calls and texts are sent all the same');
});

test('[CX24] nothing is said to come from a cache where the provider has reported none', async () => {
  const { engine, leaf } = await talked(say('done'));
  const { cached, input_cost_usd: cost, uncached_cost_usd: uncached } = await sizeOf(engine, { node: leaf });
  assert.equal(cached, 0);
  assert.equal(cost, uncached);
});

test('[CX24] what is read from a cache and has no price of its own costs as much as the rest; without prices none is said', async () => {
  const { another, leaf } = await talked();
  const plain = another({ catalogue: { capsOf: () => undefined, priceOf: () => ({ input: 4, output: 20 }) } });
  const { tokens, input_cost_usd: cost } = await sizeOf(plain, { node: leaf });
  assert.equal(cost, (tokens * 4) / 1e6);
  const failing = another({
    catalogue: { capsOf: () => undefined, priceOf: () => Promise.reject(new Error('no prices')) },
  });
  assert.equal((await sizeOf(failing, { node: leaf })).input_cost_usd, undefined);
});

test('[CX25] what a change would cost is said with the thoughts that it invalidates and with its price, for a text, for hidden blocks and for a start', async () => {
  const { engine, question, leaf, state } = await talked();
  const [, thinker] = [...(await state()).nodes.values()];
  const thought = thinker?.blocks[0]?.block_id ?? '';
  const cost = async (change: { content?: string; exclude?: string[]; context_start?: boolean }, node = question) =>
    value(await engine.call('context.cost', caller, { node, ...change })).costs;
  const asked = (await state()).nodes.get(question)?.blocks[0]?.block_id ?? '';
  for (const change of [{ content: 'another' }, { exclude: [asked] }]) {
    const [first = assert.fail()] = await cost(change);
    assert.deepEqual([first.leaf, first.invalid_thinking], [leaf, [thought]], JSON.stringify(change));
    assert.ok(first.tokens_again > 0);
    assert.equal(first.cost_usd, (first.tokens_again * price.input) / 1e6);
  }
  assert.deepEqual(await cost({ content: 'go' }), []);
  assert.deepEqual(await cost({ context_start: true }), [], 'nothing is above it');
  assert.deepEqual((await cost({ context_start: true }, leaf)).length, 1);
  const nothing = await engine.call('context.cost', caller, { node: question });
  assert.equal(nothing.ok ? '' : nothing.refusal.reason, 'invalid-params');
});

test('[CX50] what another system prompt would cost is said before it is set; the same one costs nothing', async () => {
  const { engine, question, leaf, state } = await talked();
  const { nodes, config } = await state();
  const thought = [...nodes.values()][1]?.blocks[0]?.block_id ?? '';
  const cost = async (prompt: string | null) =>
    value(await engine.call('context.cost', caller, { node: question, system_prompt: prompt })).costs;
  for (const prompt of ['Answer in verse.', null]) {
    const [first = assert.fail()] = await cost(prompt);
    assert.deepEqual([first.leaf, first.invalid_thinking], [leaf, [thought]], String(prompt));
    assert.ok(first.tokens_again > 0);
  }
  assert.deepEqual(await cost(config.systemPrompt ?? null), []);
});
