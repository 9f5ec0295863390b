import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BranchTurn } from '../../conversation/branch-turns.ts';
import { turnAt } from './turn-at.ts';
import { summaryWords, sumOfTurns, turnFigures, turnWords } from './turn-words.ts';

const turn = (more: Partial<BranchTurn> = {}): BranchTurn => ({
  node: 'u1',
  kind: 'person',
  number: 1,
  words: '# Count\nthe tides',
  time: '',
  end: 'a1',
  tools: 0,
  ...more,
});
const used = { input_tokens: 90_000, cached_input_tokens: 30_000, output_tokens: 1200 };

test('[WB384] a turn tells its time, tools, tokens without those of a cache, and cost, as far as they are known', () => {
  const whole = turn({ duration_ms: 372_000, tools: 41, ...used, cost_usd: 1.224 });
  assert.deepEqual(turnFigures(whole), ['6m 12s', '41 tools', '61.2k tokens', '$1.22']);
  assert.deepEqual(turnFigures(turn({ duration_ms: 20, tools: 1 })), ['1 tool']);
  assert.deepEqual(sumOfTurns([whole, turn({ duration_ms: 60_000, ...used, cost_usd: 2 })]), [
    '2 turns',
    '7m 12s',
    '$3.22',
  ]);
  assert.deepEqual(sumOfTurns([whole, turn(used)]), ['2 turns', '6m 12s'], 'the price of one is unknown');
});

test('[WB384] [WB386] what an agent began, and a summary, are told as such', () => {
  assert.equal(turnWords(turn()), 'Count the tides');
  assert.equal(turnWords(turn({ kind: 'own', words: 'Tests ended' })), 'Continued on its own: Tests ended');
  assert.equal(turnWords(turn({ kind: 'own', words: '' })), 'Continued on its own');
  const summary = turn({ kind: 'summary', tokens_before: 184_000, tokens_after: 22_000 });
  assert.equal(summaryWords(summary), '184k tokens became 22k');
  assert.equal(summaryWords(turn({ kind: 'summary', tokens_before: 9 })), undefined);
});

test('[WB384] the line above an answer has what a person asked last, unless that is in sight', () => {
  const rows = ['u1', 'a1', 'o1', 'a2', 's1', 'a3'].map((node) => ({ kind: 'header' as const, key: node, node }));
  const starts = new Map(
    [turn(), turn({ node: 'o1', kind: 'own' }), turn({ node: 's1', kind: 'summary' })].map((one) => [one.node, one]),
  );
  const told = (index: number) => {
    const { here, above } = turnAt(rows, index, starts);
    return [here?.node, above?.node];
  };
  assert.deepEqual([0, 1, 2, 5].map(told), [
    ['u1', undefined],
    ['u1', 'u1'],
    ['o1', 'u1'],
    ['o1', 'u1'],
  ]);
  assert.deepEqual(turnAt([], 0, starts), { here: undefined, above: undefined });
});
