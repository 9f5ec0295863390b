import assert from 'node:assert/strict';
import { test } from 'node:test';
import { priceWords } from './priced.ts';

test('[WB67] what a change costs is told if it is worth speaking of', () => {
  const cost = (again: number, thinking: number, money?: number) => ({
    leaf: 'r/node-1',
    tokens_again: again,
    invalid_thinking: Array.from({ length: thinking }, (_, index) => `r/@m/${index}`),
    ...(money === undefined ? {} : { cost_usd: money }),
  });
  assert.equal(priceWords([]), undefined);
  assert.equal(priceWords([cost(400, 0), cost(500, 0)]), undefined);
  assert.equal(
    priceWords([cost(41_000, 3, 0.2), cost(300, 1, 0.01)]),
    '4 thinking blocks become invalid and are no longer sent. 41.3k tokens paid again, about $0.21.',
  );
  assert.equal(priceWords([cost(0, 1)]), '1 thinking block becomes invalid and is no longer sent.');
  assert.equal(priceWords([cost(2000, 0)]), '2k tokens paid again, price unknown.');
  assert.equal(priceWords([cost(2000, 0)], true), undefined, 'nothing is paid for a model that runs here');
  assert.equal(priceWords([cost(2000, 1)], true), '1 thinking block becomes invalid and is no longer sent.');
});
