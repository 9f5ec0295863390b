import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TurnView } from '@loom/sync';
import { lineOf, planWords, waitingWords } from '../pins/queue-words.ts';
import { turnOn } from '../running-turn.ts';
import { stripFigures } from './strip-figures.ts';
import { costOfLastTurn } from './turn-cost.ts';

test('[WB75] the strip tells how much is read, how much of it from a cache, and what it costs', () => {
  const size = { tokens: 61_200, cached: 51_408, window: 200_000, input_cost_usd: 0.12 };
  const { cachedPart, newPart, ...words } = stripFigures(size, 0.31, false);
  assert.deepEqual(words, {
    amount: '61.2k of 200k',
    cache: '84% from cache',
    cost: '$0.31 this turn',
    level: 'calm',
  });
  const toRead = (cost: number): string => stripFigures({ ...size, input_cost_usd: cost }, undefined, false).cost;
  assert.deepEqual([0.12, 0.001].map(toRead), ['about $0.12 to read', 'under $0.01 to read']);
  assert.ok(Math.abs(cachedPart + newPart - 30.6) < 0.01 && cachedPart > newPart);
  const level = (tokens: number): string => stripFigures({ ...size, tokens }, undefined, false).level;
  assert.deepEqual([159_000, 160_000, 189_999, 190_000, 400_000].map(level), ['calm', 'amber', 'amber', 'red', 'red']);
});

test('[WB75] what is not known is said to be unknown', () => {
  const unknown = stripFigures({ tokens: 759, cached: 900 }, undefined, false);
  assert.deepEqual([unknown.amount, unknown.cost, unknown.level], ['about 759 tokens', 'price unknown', 'calm']);
  assert.equal(unknown.cache, '100% from cache', 'never more than all of it');
  assert.equal(
    stripFigures({ tokens: 10, cached: 0, input_cost_usd: 0.2 }, undefined, false).cost,
    'about $0.20 to read',
  );
  assert.equal(stripFigures({ tokens: 10, cached: 0 }, 0, true).cost, 'free');
});

test('[WB75] the cost of a turn is that of its calls alone, and unknown if one of them is', () => {
  const node = (turn: string | undefined, cost?: number) => ({
    ...(turn === undefined ? {} : { turn }),
    source: {
      type: 'model' as const,
      provider: 'p',
      model_name: 'm',
      parameters: {},
      usage: { input_tokens: 1, output_tokens: 1, ...(cost === undefined ? {} : { cost_usd: cost }) },
    },
  });
  const nodes = new Map([
    ['a', node('t1', 5)],
    ['b', node('t2', 0.1)],
    ['c', node('t2', 0.2)],
    ['d', node('t3')],
  ]);
  assert.equal(costOfLastTurn(['a', 'b', 'c'], nodes)?.toFixed(2), '0.30');
  assert.equal(costOfLastTurn(['a', 'd'], nodes), undefined);
  assert.equal(costOfLastTurn([], nodes), undefined);
});

test('[WB76] what is said goes to the turn of the branch that is shown, not to one on another branch', () => {
  const turn = (name: string, node: string, answer?: string): TurnView => ({
    turn: name,
    node,
    provider: 'p',
    model: 'm',
    ...(answer === undefined ? {} : { answer }),
  });
  assert.equal(turnOn('r', ['a', 'b'], [turn('1', 'a', 'b'), turn('2', 'a', 'c')])?.turn, '1');
  assert.equal(turnOn('r', ['a', 'b'], [turn('2', 'a', 'c')]), undefined);
  assert.equal(turnOn('r', ['a'], [turn('1', 'a')])?.turn, '1', 'it has said nothing yet');
  assert.equal(turnOn('r', [], [turn('1', 'r')])?.turn, '1');
});

test('[WB77] what waits and the plan are told in one line', () => {
  const text = (words: string) => ({ type: 'text' as const, text: words });
  const image = { type: 'image' as const, media_type: 'image/png', url: 'x' };
  assert.equal(waitingWords('queue', [text('also  mention\nit')]), 'Queued: also mention it');
  assert.equal(waitingWords('steer', [text('look'), image]), 'Steering: look (and 1 file)');
  assert.equal(lineOf([image, image]), '2 files');
  const plan = (...states: ('pending' | 'in_progress' | 'completed')[]) =>
    planWords(states.map((status, index) => ({ content: `step ${index + 1}`, status })));
  assert.deepEqual(plan('completed', 'in_progress', 'pending'), { now: 'step 2', progress: '1 of 3' });
  assert.deepEqual(plan('completed'), { now: 'Everything is done', progress: '1 of 1' });
  assert.equal(plan(), undefined);
});
