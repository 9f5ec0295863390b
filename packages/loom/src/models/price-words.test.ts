import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeContext, describeCosts, describePrice } from './price-words.ts';

test('[MO30] what calls have cost is said, and what is not known is said to be unknown', () => {
  const call = (provider: string, cost_usd?: number) => ({
    provider,
    usage: { input_tokens: 1, output_tokens: 1, ...(cost_usd === undefined ? {} : { cost_usd }) },
  });
  assert.equal(describeCosts([]), undefined);
  assert.equal(describeCosts([call('demo')]), undefined);
  assert.equal(describeCosts([call('anthropic', 0.001), call('demo'), call('openai', 0.0021)]), '$0.0031');
  assert.equal(describeCosts([call('anthropic', 0.25)]), '$0.250');
  assert.equal(describeCosts([call('anthropic', 12.345)]), '$12.35');
  assert.equal(describeCosts([call('anthropic', 0.000_001)]), 'under $0.0001');
  assert.equal(describeCosts([call('ollama', 0)]), '$0');
  assert.equal(describeCosts([call('anthropic')]), 'price unknown');
  assert.equal(describeCosts([call('anthropic'), call('anthropic', 0.5)]), '$0.500 and what is not known');
});

test('[MO14] context and price are said in a few words', () => {
  const facts = { context: 1_048_576, price: { input: 3, output: 15 } };
  assert.equal(`${describeContext(facts)}, ${describePrice(facts)}`, 'context 1M, $3 in, $15 out');
  assert.equal(`${describeContext({})}, ${describePrice({})}`, 'context unknown, price unknown');
  assert.equal(describePrice({ price: { input: 0, output: 0 } }), 'free');
  assert.equal(describeContext({ context: 500 }), 'context 500');
});
