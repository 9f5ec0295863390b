import test from 'node:test';
import assert from 'node:assert/strict';
import { firstDay, periodLabel } from './periods.ts';
import { bands, namedEvery, scale, stack, ticksTo } from './plot-scale.ts';
import { costWords, shortDayNames } from './usage-words.ts';
import { byDay, byModel, cachedShare, sumOf, tokensOf, unpricedModels } from './usage-sums.ts';
import type { DayUsage } from './usage-sums.ts';

function used(day: string, model: string, facts: Partial<DayUsage> = {}): DayUsage {
  const none = { calls: 1, input_tokens: 100, cached_input_tokens: 75, cache_write_tokens: 5, output_tokens: 10 };
  return { day, provider: 'demo', model, ...none, unpriced: 0, ...facts };
}

test('[WB114] usage is summed by day and by model; what was read from or written to a cache is not counted twice', () => {
  const rows = [
    used('2026-11-01', 'a', { cost_usd: 1 }),
    used('2026-11-01', 'b', { cost_usd: 3 }),
    used('2026-11-03', 'c', { unpriced: 1, repeated_input_tokens: 20 }),
  ];
  const sum = sumOf(rows);
  const tokens = { newInput: 60, cached: 225, written: 15, output: 30, repeated: 20 };
  assert.deepEqual(sum, { calls: 3, ...tokens, cost: 4, unpriced: 1 });
  assert.equal(tokensOf(sum), 330);
  assert.equal(cachedShare(sum), 0.75);
  assert.equal(cachedShare(sumOf([])), undefined);
  const days = byDay(rows, { from: '2026-11-01', to: '2026-11-03', models: ['b'] });
  assert.deepEqual(
    days.map(({ day, costs, sum: { calls } }) => [day, costs, calls]),
    [
      ['2026-11-01', [3, 1], 2],
      ['2026-11-02', [0, 0], 0],
      ['2026-11-03', [0, 0], 1],
    ],
  );
  assert.deepEqual(
    byModel(rows).map(({ model }) => model),
    ['b', 'a', 'c'],
  );
  assert.deepEqual(unpricedModels(rows), [{ name: 'demo/c', calls: 1 }]);
});

test('[WB114] a period begins with its first day in UTC', () => {
  const now = Date.parse('2026-11-17T23:30:00Z');
  assert.equal(firstDay('today', now), '2026-11-17');
  assert.equal(firstDay('week', now), '2026-11-11');
  assert.equal(firstDay('month', now), '2026-11-01');
  assert.equal(firstDay('all', now), undefined);
  assert.equal(periodLabel('month', now), 'November');
});

test('[WB115] an axis has round values that reach above the highest one', () => {
  assert.deepEqual(ticksTo(0), [0, 1]);
  assert.deepEqual(ticksTo(1.49e6), [0, 500_000, 1_000_000, 1_500_000]);
  assert.deepEqual(ticksTo(8), [0, 2, 4, 6, 8]);
  assert.deepEqual(ticksTo(0.013), [0, 0.005, 0.01, 0.015]);
  for (const highest of [1, 3, 7.3, 99, 101, 1e9, 0.07]) {
    const ticks = ticksTo(highest);
    assert.ok(ticks.length >= 2 && ticks.length <= 6, String(highest));
    assert.ok((ticks.at(-1) ?? 0) >= highest, String(highest));
  }
});

test('[WB115] bars are even, stay apart and are named as there is room', () => {
  const three = bands(3, 0, 300);
  assert.deepEqual(
    three.map(({ middle }) => middle),
    [50, 150, 250],
  );
  assert.equal(bands(1, 0, 900)[0]?.width, 40);
  assert.deepEqual([0, 1, 2, 3, 4, 5].filter(namedEvery(6, 3)), [1, 3, 5]);
  assert.deepEqual(stack([1, 0, 2]), [
    { from: 0, to: 1 },
    { from: 1, to: 1 },
    { from: 1, to: 3 },
  ]);
  assert.equal(scale(10, 200, 0)(5), 100);
  assert.deepEqual(shortDayNames(['2026-10-30', '2026-10-31', '2026-11-01', '2026-11-02']), [
    'Oct 30',
    '31',
    'Nov 1',
    '2',
  ]);
});

test('[WB114] money is told as far as it is known', () => {
  const cost = (...rows: Partial<DayUsage>[]): string =>
    costWords(sumOf(rows.map((row) => used('2026-11-01', 'a', row))));
  assert.equal(cost({ cost_usd: 1.5 }), '$1.50');
  assert.equal(cost({ cost_usd: 1.5 }, { unpriced: 1 }), 'at least $1.50');
  assert.equal(cost({ unpriced: 1 }), 'price unknown');
  assert.equal(cost({ cost_usd: 0 }, { unpriced: 1 }), 'price unknown', 'what is free says nothing of the others');
});
