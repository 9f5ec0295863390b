import test from 'node:test';
import assert from 'node:assert/strict';
import type { ListedRoot } from '@loom/kernel';
import { branchName, distinctNames } from './branch-name.ts';
import { nameOf, navigatorRows } from './navigator-rows.ts';

const now = new Date(2026, 10, 17, 12, 0).getTime();

function listed(id: string, time: number): ListedRoot {
  const updated = new Date(time).toISOString();
  const nothing = { tags: [], config: {}, leaves: [], bookmarks: [], running: [], needs: [] };
  const usage = { input_tokens: 0, output_tokens: 0 };
  return { id, opening: id, ...nothing, created: updated, updated, nodes: 1, branches: 1, usage, deleted: false };
}

test('[WB102] conversations stand under the names of their times, each name once', () => {
  const times = {
    a: now - 60_000,
    b: new Date(2026, 10, 17, 0, 5).getTime(),
    c: new Date(2026, 10, 16, 23, 59).getTime(),
    d: new Date(2026, 10, 12).getTime(),
    e: new Date(2026, 10, 3).getTime(),
    f: new Date(2026, 7, 30).getTime(),
    g: new Date(2026, 7, 1).getTime(),
    h: new Date(2025, 7, 1).getTime(),
  };
  const rows = navigatorRows(
    Object.entries(times).map(([id, time]) => listed(id, time)),
    now,
  );
  assert.deepEqual(
    rows.map((row) => (row.kind === 'period' ? row.name : row.item.id)),
    [
      'Today',
      'a',
      'b',
      'Yesterday',
      'c',
      'This week',
      'd',
      'This month',
      'e',
      'August 2026',
      'f',
      'g',
      'August 2025',
      'h',
    ],
  );
  assert.equal(new Set(rows.map(({ key }) => key)).size, rows.length);
});

test('[WB102] a conversation without a title is called by how it begins', () => {
  assert.equal(nameOf({ opening: 'Why do' }), 'Why do');
  assert.equal(nameOf({ title: 'Tides', opening: 'Why do' }), 'Tides');
  assert.equal(nameOf({ opening: '<command-name>/clear</command-name>\n<command-args></command-args>' }), '/clear');
  assert.equal(nameOf({ opening: '' }), 'Empty conversation');
});

test('[WB102] a branch is called as its end is named, else by how that begins, without signs of Markdown', () => {
  const said = (...texts: string[]) => ({
    metadata: {},
    message: { role: 'assistant' as const, content: texts.map((text) => ({ type: 'text' as const, text })) },
  });
  assert.equal(branchName({ ...said('words'), bookmark: 'the recipe' }), 'the recipe');
  assert.equal(branchName(said('', '- 500 g **flour**\n- water')), '500 g flour water');
  assert.equal(branchName(said('')), 'No words yet');
});

test('[WB102] branches with the same name are told apart', () => {
  assert.deepEqual(distinctNames(['again', 'other', 'again', 'again']), [
    'again (3)',
    'other',
    'again (2)',
    'again (1)',
  ]);
  assert.deepEqual(distinctNames(['one', 'two']), ['one', 'two']);
});
