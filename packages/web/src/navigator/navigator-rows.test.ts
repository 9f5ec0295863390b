import test from 'node:test';
import assert from 'node:assert/strict';
import type { ListedRoot } from '@loom/kernel';
import type { ListedProject } from './project-list.ts';
import { branchName, distinctNames } from './row/branch-name.ts';
import { groupedRows, nameOf, namesOf, navigatorRows } from './navigator-rows.ts';
import type { GroupedParts, NavigatorRow } from './navigator-rows.ts';

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
    rows.map((row) => (row.kind === 'conversation' ? row.item.id : row.kind === 'period' ? row.name : row.kind)),
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

function project(id: string, items: readonly ListedRoot[], count = items.length): ListedProject {
  const latest = new Date(now).toISOString();
  return { project: id, name: id, conversations: count, all: count, latest, state: 'done', items: [...items] };
}

function words(row: NavigatorRow): string {
  switch (row.kind) {
    case 'conversation':
      return row.item.id;
    case 'group':
      return `${row.isOpen ? 'v' : '>'} ${row.group.name} ${row.group.count}`;
    case 'more':
      return `${row.count} more`;
    default:
      return row.name;
  }
}

test('[WB340] conversations are grouped: pinned ones, projects of which the latest two are open, those without one, the archive', () => {
  const [a, b, c, d, e] = ['a', 'b', 'c', 'd', 'e'].map((id) => listed(id, now));
  assert.ok(a && b && c && d && e);
  const parts: GroupedParts = {
    view: {
      isKnown: true,
      projects: [project('one', [a, b], 9), project('two', [c]), project('three', [d]), project('', [e])],
      pinned: [b],
      all: 12,
      archived: 3,
    },
    folds: {},
    whole: new Map(),
    latest: (item) => item,
    isGone: () => false,
    current: undefined,
  };
  const shown = (change: Partial<GroupedParts> = {}): string[] => groupedRows({ ...parts, ...change }).map(words);
  const ends = ['> three 1', '> No project 1', '> Archived 3'];
  assert.deepEqual(shown(), ['Pinned', 'b', 'Projects', 'v one 9', 'a', 'b', '7 more', 'v two 1', 'c', ...ends]);
  assert.deepEqual(shown({ folds: { one: false } }).slice(2, 4), ['Projects', '> one 9']);
  assert.deepEqual(shown({ current: 'd' }).slice(9, 11), ['v three 1', 'd'], 'the group of the open one is open');
  assert.deepEqual(shown({ isGone: (id) => id === 'a' || id === 'c' }).slice(2, 7), [
    'Projects',
    'v one 8',
    'b',
    '7 more',
    '> three 1',
  ]);
  assert.deepEqual(shown({ whole: new Map([['one', [a, b, c]]]) }).slice(3, 8), ['v one 9', 'a', 'b', 'c', 'v two 1']);
});

test('[WB341] a conversation is called by its title or a person’s first words, and names of a list are told apart', () => {
  assert.equal(nameOf({ opening: '<system-reminder>Be brief.</system-reminder>\n\nFix it' }), 'Fix it');
  const named = (opening: string) => ({ ...listed(opening, now), opening });
  assert.deepEqual(namesOf([named('You are a careful engineer. Fix a'), named('You are a careful engineer. Fix b')]), [
    'You are … a',
    'You are … b',
  ]);
});
