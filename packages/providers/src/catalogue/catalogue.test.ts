import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadCatalogue } from './index.ts';
import type { CatalogueOptions } from './index.ts';

const summer = Date.parse('2026-07-01T00:00:00Z');

function load(options: Partial<CatalogueOptions> = {}) {
  return loadCatalogue({ now: () => summer, ...options });
}

test('[MO1] what is known of a model is there, and what is not known is not', async () => {
  const catalogue = await load();
  assert.deepEqual(catalogue.factsOf('anthropic', 'claude-haiku-4-5'), {
    context: 200_000,
    output: 64_000,
    price: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
    images: true,
    files: true,
    thinking: true,
    tools: true,
  });
  assert.deepEqual(catalogue.capsOf('openai', 'gpt-4o'), { contextWindow: 128_000, maxOutput: 16_384 });
  assert.equal(catalogue.factsOf('openai', 'o3-mini').images, false);
  // Routers put the vendor before the name and write versions with a dot.
  const routed = catalogue.factsOf('openrouter', 'anthropic/claude-haiku-4.5');
  assert.deepEqual([routed.output, routed.price?.input], [64_000, 1]);
  for (const [provider, model] of [
    ['anthropic', 'claude-nonsense'],
    ['elsewhere', 'claude-haiku-4-5'],
    ['my-openai-proxy', 'gpt-4o'],
    ['anthropic', 'constructor'],
  ] as const) {
    assert.deepEqual(catalogue.factsOf(provider, model), {}, model);
    assert.deepEqual(catalogue.capsOf(provider, model), {});
    assert.equal(catalogue.costOf(provider, model, { input_tokens: 1, output_tokens: 1 }), undefined);
    assert.equal(catalogue.knows(provider, model), false);
  }
  // The catalogue has other vendors' models that Google's cloud sells; its API for Gemini does not.
  assert.equal(catalogue.knows('google', 'claude-sonnet-5'), false);
  assert.equal(catalogue.knows('google', 'gemini-2.5-flash'), true);
  // A server is recognized by its address, whatever its name.
  const own = await load({ addresses: { quick: 'https://api.groq.com/openai/v1' } });
  assert.equal(own.factsOf('quick', 'llama-3.3-70b-versatile').price?.input, 0.59);
});

test('[MO2] what a person says of a model counts in place of the catalogue, value by value', async () => {
  const catalogue = await load({
    overrides: {
      'anthropic/claude-haiku-4-5': { context: 1000, images: false, price: { output: 50 } },
      'mine/model': { output: 10, price: { input: 2 } },
      'mine/priced': { price: { input: 2, output: 4, cacheRead: 1 } },
    },
  });
  const { price, ...known } = catalogue.factsOf('anthropic', 'claude-haiku-4-5');
  assert.deepEqual(price, { input: 1, output: 50, cacheRead: 0.1, cacheWrite: 1.25 });
  assert.deepEqual([known.context, known.output, known.images, known.tools], [1000, 64_000, false, true]);
  assert.deepEqual(catalogue.factsOf('mine', 'model'), { output: 10 });
  const used = {
    input_tokens: 1_000_000,
    output_tokens: 500_000,
    cached_input_tokens: 400_000,
    cache_write_tokens: 100_000,
  };
  // 0.5 × 2 + 0.4 × 1 + 0.1 × 2 + 0.5 × 4
  assert.equal(catalogue.costOf('mine', 'priced', used), 3.6);
});

test('[MO3] a call costs what its tokens cost at that time', async () => {
  const catalogue = await load({ free: ['ollama'] });
  const used = { input_tokens: 10_000, output_tokens: 1000 };
  assert.equal(catalogue.costOf('anthropic', 'claude-haiku-4-5', used), 0.01 + 0.005);
  const cached = { ...used, cached_input_tokens: 8000, cache_write_tokens: 1000 };
  assert.equal(catalogue.costOf('anthropic', 'claude-haiku-4-5', cached), 0.001 + 0.0008 + 0.00125 + 0.005);
  // Requests of more than 200,000 tokens have separate prices.
  const long = catalogue.costOf('anthropic', 'claude-sonnet-4-5', { input_tokens: 300_000, output_tokens: 0 });
  assert.equal(long, 1.8);
  assert.equal(catalogue.costOf('ollama', 'llama3.2', used), 0);
  // The price of this one goes up with the year.
  const [before, after] = [summer, Date.parse('2027-02-01T00:00:00Z')].map((now) => load({ now: () => now }));
  const price = async (one: typeof before) => (await one)?.costOf('google', 'gemini-3.8-flash', used) ?? 0;
  assert.ok((await price(before)) < (await price(after)));
});

test('[MO4] models that are not for talking are not listed', async () => {
  const catalogue = await load();
  for (const provider of ['anthropic', 'openai', 'google', 'openrouter']) {
    const names = catalogue.modelsOf(provider);
    assert.ok(names.length > 10, provider);
    assert.deepEqual(
      names.filter((name) => /embed|whisper|tts|realtime/.test(name)),
      [],
    );
  }
  assert.ok(catalogue.modelsOf('google').every((name) => name.startsWith('gem')));
  assert.deepEqual(catalogue.modelsOf('elsewhere'), []);
});

test('[MO6] cache writes for an hour and web searches have their own prices', async () => {
  const catalogue = await load();
  const used = { input_tokens: 10_000, output_tokens: 0, cache_write_tokens: 10_000 };
  assert.equal(catalogue.costOf('anthropic', 'claude-haiku-4-5', used), 0.0125);
  assert.equal(catalogue.costOf('anthropic', 'claude-haiku-4-5', { ...used, cache_write_1h_tokens: 4000 }), 0.0155);
  const odd = { input_tokens: 10_000, output_tokens: 0, cached_input_tokens: 9000, cache_write_tokens: 5000 };
  assert.equal(
    catalogue.costOf('anthropic', 'claude-haiku-4-5', odd),
    0.00215,
    'a report that cannot be breaks nothing',
  );
  const searched = { input_tokens: 0, output_tokens: 0, web_searches: 3 };
  assert.equal(catalogue.costOf('anthropic', 'claude-haiku-4-5', searched), 0.03);
});

test('[MO6] a call of the past has the prices of its day', async () => {
  const catalogue = await load();
  const long = { input_tokens: 300_000, output_tokens: 0 };
  const cost = (day: string) => catalogue.costOf('anthropic', 'claude-opus-4-6', long, Date.parse(day));
  assert.deepEqual([cost('2026-03-12'), cost('2026-03-13')], [3, 1.5]);
});

test('[MO6] a model is priced by any of the names that programs keep of it, and by no other', async () => {
  const catalogue = await load();
  const used = { input_tokens: 1_000_000, output_tokens: 0 };
  for (const [name, price] of [
    ['claude-sonnet-4-20250514', 3],
    ['claude-opus-4-5-20251101', 5],
    ['claude-opus-4-5@20251101', 5],
    ['claude-opus-4-7[1m]', 5],
    ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 1],
    ['anthropic/claude-haiku-4-5', 1],
  ] as const)
    assert.equal(catalogue.costOf('anthropic', name, used), price, name);
  assert.equal(catalogue.costOf('openai', 'gpt-5-codex', used), 1.25);
  assert.equal(catalogue.costOf('openai', 'gpt-5-2025-08-07', used), 1.25);
  for (const name of ['<synthetic>', '', 'claude', 'glm-4.7', 'claude-sonnet-99'])
    assert.equal(catalogue.costOf('anthropic', name, used), undefined, name);
});
