import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inPlaceWords, runEstimate, runWords } from './edit-price.ts';

const size = {
  provider: 'p',
  model: 'm',
  messages: 3,
  tokens: 1000,
  cached: 800,
  invalid: 0,
  invalid_thinking: 0,
  uncached_cost_usd: 0.01,
  input_cost_usd: 0.0028,
};

test('[WB49] saving in place says what is paid again and what becomes invalid, over all branches below', () => {
  const cost = (leaf: string, thinking: string[], again: number, money: number) => ({
    leaf,
    invalid_thinking: thinking,
    tokens_again: again,
    cost_usd: money,
  });
  const costs = [cost('a', ['x', 'y'], 22_000, 0.11), cost('b', ['z'], 14_800, 0.07)];
  const words = inPlaceWords({ costs, unseen: 0 }, 2);
  assert.equal(words.price, '36.8k tokens paid again · about $0.18');
  assert.match(words.about, /2 branches below were written after the old text\. 3 thinking blocks become invalid/u);
  assert.match(inPlaceWords({ costs: [], unseen: 0 }, 1).price, /nothing is paid again/u);
  const { cost_usd: _price, ...unpriced } = cost('a', ['x'], 10, 0);
  const unknown = inPlaceWords({ costs: [unpriced], unseen: 2 }, 1);
  assert.match(unknown.price, /price unknown/u);
  assert.match(unknown.about, /1 thinking block becomes invalid and is no longer sent\. 2 older branches not counted/u);
});

test('[WB49] a run is priced with the new text, and only what is before it comes from the cache', () => {
  assert.deepEqual(runEstimate(size, 'x'.repeat(1000), ''), {
    read: 700,
    cached: 700,
    price: 700 * 0.00001 - 700 * 0.000009,
  });
  assert.deepEqual(runWords(size, '', ''), {
    price: 'under $0.01 + the answer',
    about: '800 of 1k tokens come from the cache.',
  });
  const { uncached_cost_usd: _full, ...unpriced } = size;
  assert.equal(runWords(unpriced, '', '').price, 'price unknown');
});
