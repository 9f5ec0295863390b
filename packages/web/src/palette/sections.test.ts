import test from 'node:test';
import assert from 'node:assert/strict';
import type { ListedRoot } from '@loom/kernel';
import { idle } from './block-searches.ts';
import type { Hit, SearchState } from './block-searches.ts';
import { sectionsOf, stepFrom } from './sections.ts';
import type { Section } from './sections.ts';

function listed(id: string, title: string, tags: string[] = []): ListedRoot {
  const nothing = { config: {}, leaves: [], bookmarks: [], running: [], needs: [] };
  const usage = { input_tokens: 0, output_tokens: 0 };
  const times = { created: '2026-11-17', updated: '2026-11-17' };
  return { id, title, opening: '', tags, ...nothing, ...times, nodes: 1, branches: 1, usage, deleted: false };
}

function hit(block: string): Hit {
  return { block, root: block.split('/')[0] ?? '', excerpt: { before: '', match: 'x', after: '' } };
}

const source = {
  actions: [
    { id: 'new', label: 'New conversation', icon: 'plus' as const, run: () => {} },
    { id: 'theme', label: 'Switch theme', icon: 'theme' as const, run: () => {} },
  ],
  conversations: [listed('r1', 'New tides'), listed('r2', 'Parser', ['news']), listed('r3', 'Other')],
  recent: ['moon'],
  isWhole: false,
};
const none: SearchState = idle;

function keys(sections: readonly Section[]): string[] {
  return sections.flatMap(({ name, options }) => [`# ${name}`, ...options.map(({ key }) => key)]);
}

test('[WB108] the palette lists actions, conversations and texts; what is known at once stands above what comes later', () => {
  const search = { ...none, status: 'done' as const, hits: [hit('r1/1')] };
  assert.deepEqual(keys(sectionsOf({ ...source, search: none, query: { filters: [], text: '' } })), [
    '# Recent searches',
    'recent moon',
    '# Recent conversations',
    'conversation r1',
    'conversation r2',
    'conversation r3',
    '# Do',
    'do new',
    'do theme',
  ]);
  assert.deepEqual(keys(sectionsOf({ ...source, search, query: { filters: [], text: ' NEW ' } })), [
    '# Do',
    'do new',
    '# Conversations',
    'conversation r1',
    'conversation r2',
    '# New tides',
    'block r1/1',
  ]);
  assert.deepEqual(keys(sectionsOf({ ...source, search, query: { filters: [], text: '> theme' } })), [
    '# Do',
    'do theme',
  ]);
});

test('[WB108] with filters blocks come first, then what the filters leave out; what is not shown is counted', () => {
  const filters = [{ name: 'kind' as const, value: 'code' }];
  const many = Array.from({ length: 12 }, (_, index) => hit(`r${index % 6}/${index}`)).sort((a, b) =>
    a.root < b.root ? -1 : 1,
  );
  const counts = new Map([['r0', 7]]);
  const search = { ...none, status: 'done' as const, hits: many, counts, others: [hit('r/other')] };
  const sections = sectionsOf({ ...source, search, query: { filters, text: 'new' } });
  assert.deepEqual(
    sections.map(({ name, note, options }) => [name, note, options.length]),
    [
      ['…', '2 of 7 blocks', 2],
      ['New tides', '2 blocks', 2],
      ['Parser', '2 blocks', 2],
      ['Other', '2 blocks', 2],
      ['Not shown', undefined, 1],
      ['Without the filters', '1 more', 1],
      ['Do', undefined, 1],
    ],
  );
  const last = sections[4]?.options[0];
  assert.equal(last?.kind === 'more' ? last.label : '', '2 more conversations with matches');
  const whole = sectionsOf({
    ...source,
    search: { ...search, next: 'x' },
    isWhole: true,
    query: { filters, text: 'new' },
  });
  assert.deepEqual([whole.length, whole[6]?.options.map(({ kind }) => kind)], [9, ['search-on']]);
});

test('[WB108] arrows go from line to line over all sections and stay at the ends', () => {
  const sections = sectionsOf({ ...source, search: none, query: { filters: [], text: '' } });
  assert.equal(stepFrom(sections, undefined, 1), 'conversation r1');
  assert.equal(stepFrom(sections, 'conversation r3', 1), 'do new');
  assert.equal(stepFrom(sections, 'recent moon', -1), 'recent moon');
  assert.equal(stepFrom(sections, 'do theme', 1), 'do theme');
  assert.equal(stepFrom([], undefined, 1), undefined);
});
