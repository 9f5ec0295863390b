import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerFacts, sumOfCosts } from './answer-facts.ts';

const answer = (cost: number | undefined, type: 'text' | 'error' = 'text') => ({
  source: {
    type: 'model' as const,
    provider: 'p',
    model_name: 'opus',
    parameters: {},
    usage: { input_tokens: 5, output_tokens: 212, ...(cost === undefined ? {} : { cost_usd: cost }) },
  },
  blocks: [type === 'text' ? { type, text: 'x' } : { type, code: 'overloaded', message: 'm' }],
  started_at: '2026-01-01T10:00:00.000Z',
  ended_at: '2026-01-01T10:00:04.100Z',
});

test('[WB82] an answer among several tells its model, time, tokens and cost, and whether it failed', () => {
  assert.deepEqual(answerFacts(answer(0.02), false), {
    name: 'opus',
    state: undefined,
    facts: ['4.1s', '212 tokens', '$0.02'],
  });
  assert.equal(answerFacts(answer(undefined, 'error'), false).state, 'failed');
  assert.equal(answerFacts(answer(undefined), true).state, 'writing');
  const nodes = new Map([
    ['a', answer(0.02)],
    ['b', answer(undefined)],
    ['c', answer(0.04)],
  ]);
  assert.equal(sumOfCosts(['a', 'b', 'c', 'gone'], nodes)?.toFixed(2), '0.06');
  assert.equal(sumOfCosts(['b'], nodes), undefined);
});
