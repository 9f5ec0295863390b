import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ListedRoot } from '@loom/kernel';
import { noFilters, paramsOf, readFilters, writeFilters } from './filters.ts';
import type { Filters } from './filters.ts';
import { pageRows } from './page-rows.ts';
import { extended, nothingSelected, toggled } from './selection.ts';

const now = new Date(2026, 10, 17, 12, 0).getTime();

function listed(id: string, time = now): ListedRoot {
  const updated = new Date(time).toISOString();
  const nothing = { tags: [], config: {}, leaves: [], bookmarks: [], running: [], needs: [] };
  const usage = { input_tokens: 0, output_tokens: 0 };
  return { id, opening: id, ...nothing, created: updated, updated, nodes: 1, branches: 1, usage, deleted: false };
}

test('[WB345] filters are sent as the server knows them, and days begin at midnight', () => {
  assert.deepEqual(paramsOf(noFilters, now), { children: false, text: '' });
  const midnight = new Date(2026, 10, 17).toISOString();
  assert.deepEqual(
    paramsOf(
      { ...noFilters, text: 'sea', sources: ['codex'], states: ['failed'], time: 'day', withArchived: true },
      now,
    ),
    { children: false, text: 'sea', source: ['codex'], state: ['failed'], since: midnight, archived: 'with' },
  );
});

test('[WB575] filters are written into the address and read from it, and what is not known there is left out', () => {
  const filters: Filters = {
    text: 'high & low #1 ',
    sources: ['codex', 'loom'],
    models: ['gpt-5.1'],
    states: ['running', 'failed'],
    projects: ['github.com/a/b', ''],
    time: 'week',
    withArchived: true,
  };
  assert.deepEqual(readFilters(writeFilters(filters)), filters);
  assert.equal(writeFilters(noFilters), '');
  assert.deepEqual(readFilters(''), noFilters);
  assert.deepEqual(readFilters('state=asleep&date=yesterday&archived=1&%E0%A4%A=&state=done&state=done'), {
    ...noFilters,
    states: ['done'],
  });
});

test('[WB345] rows are grouped by project with how many match, by date, or flat', () => {
  const [a, b, c] = [listed('a'), listed('b'), listed('c', new Date(2026, 10, 16, 9).getTime())];
  const group = { project: 'p', name: 'tides', conversations: 3, all: 8, latest: a.updated, state: 'done' as const };
  const parts = {
    projects: [{ ...group, items: [a, b] }],
    items: [a, b, c],
    whole: new Map(),
    folded: new Set<string>(),
    isGone: (id: string) => id === 'b',
    now,
  };
  const words = (rows: ReturnType<typeof pageRows>): string[] =>
    rows.map((row) =>
      row.kind === 'conversation'
        ? row.item.id
        : row.kind === 'group'
          ? `${row.name} ${row.count}`
          : row.kind === 'more'
            ? `${row.count} more`
            : row.name,
    );
  assert.deepEqual(words(pageRows('project', parts)), ['tides 2 of 7', 'a', '1 more']);
  assert.deepEqual(words(pageRows('project', { ...parts, folded: new Set(['p']) })), ['tides 2 of 7']);
  assert.deepEqual(words(pageRows('date', parts)), ['Today', 'a', 'Yesterday', 'c']);
  assert.deepEqual(words(pageRows('cost', parts)), ['a', 'c']);
});

test('[WB346] Shift selects from the row that was selected last, in both directions', () => {
  const order = ['a', 'b', 'c', 'd'];
  const one = toggled(nothingSelected, 'c');
  assert.deepEqual([...extended(one, 'a', order).ids].sort(), ['a', 'b', 'c']);
  assert.deepEqual([...extended(extended(one, 'a', order), 'd', order).ids].sort(), order);
  assert.deepEqual([...toggled(one, 'c').ids], []);
  assert.deepEqual([...extended(nothingSelected, 'b', order).ids], ['b'], 'without a row to begin from');
});
