import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertLinear, countWork } from '@loom/blocks/testing/counted-work';
import type { CountedWork } from '@loom/blocks/testing/counted-work';
import type { OutlineNode } from '@loom/sync';
import { shapeOf } from '../conversation/branches.ts';
import { mostGuides, outlineRows } from './outline-rows.ts';
import type { OutlineOptions, OutlineRow } from './outline-rows.ts';

const node = (id: string, parent: string, more: Partial<OutlineNode> = {}): OutlineNode => ({
  id,
  parent,
  role: 'user',
  time: 0,
  ...more,
});
// a ─ b ─ c ─ d
//       └ e ─ f
//           └ g
const small = shapeOf([
  node('a', 'root'),
  node('b', 'a'),
  node('c', 'b'),
  node('d', 'c'),
  node('e', 'b'),
  node('f', 'e'),
  node('g', 'e'),
]);

function draw(rows: readonly OutlineRow[]): string[] {
  const signs = { none: ' ', line: '│', tee: '├', last: '└' };
  return rows.map(({ id, guides, isOpen, hidden }) => {
    const left = guides.map(({ kind, active }) => signs[kind] + (active === 'no' ? '' : active === 'here' ? '!' : '^'));
    return `${left.join('')}${isOpen === false ? '+' : ''}${id}${hidden > 0 ? ` (${hidden})` : ''}`;
  });
}

const rowsOf = (options: Partial<OutlineOptions>): OutlineRow[] =>
  outlineRows({ root: 'root', shape: small, path: [], opened: new Map(), ...options });

test('[WB44] lines are indented where branches part, and the way to the branch that is shown is marked', () => {
  assert.deepEqual(draw(rowsOf({ path: ['a', 'b', 'e', 'g'] })), [' a', ' b', '├^c', '│^ d', '└!e', ' ├^f', ' └!g']);
  assert.deepEqual(
    rowsOf({ path: ['a', 'b', 'c', 'd'] })
      .filter(({ isActive }) => isActive)
      .map(({ id }) => id),
    ['a', 'b', 'c', 'd'],
  );
  assert.equal(rowsOf({}).find(({ id }) => id === 'b')?.branches, 2);
});

test('[WB44] a folded branch says how many messages it hides', () => {
  assert.deepEqual(draw(rowsOf({ opened: new Map([['e', false]]) })), [' a', ' b', '├c', '│ d', '└+e (2)']);
});

test('[WB45] a filter shows what matches, with the branches that lead there', () => {
  assert.deepEqual(draw(rowsOf({ isMatch: (id) => id === 'g' })), [' g']);
  assert.deepEqual(draw(rowsOf({ isMatch: (id) => id === 'g' || id === 'd' })), ['├c', '│ d', '└e', '  g']);
  assert.deepEqual(draw(rowsOf({ isMatch: () => false })), []);
});

test('[WB46] what a turn did after its first message is folded into it, except in the turn that is shown last', () => {
  const turn = { role: 'assistant', turn: 't1' } as const;
  const shape = shapeOf([
    node('ask', 'root'),
    node('one', 'ask', turn),
    node('tool', 'one', { ...turn, role: 'tool' }),
    node('two', 'tool', turn),
    node('more', 'two'),
    node('three', 'more', { ...turn, turn: 't2' }),
    node('tool2', 'three', { role: 'tool', turn: 't2' }),
  ]);
  const path = ['ask', 'one', 'tool', 'two', 'more', 'three', 'tool2'];
  const rows = outlineRows({ root: 'root', shape, path, opened: new Map() });
  assert.deepEqual(draw(rows), [' ask', ' +one', ' more', ' three', ' tool2']);
  assert.equal(rows[1]?.tools, 1);
  const opened = new Map([
    ['one', true],
    ['three', false],
  ]);
  assert.deepEqual(draw(outlineRows({ root: 'root', shape, path, opened })), [
    ' ask',
    ' one',
    ' tool',
    ' two',
    ' more',
    ' +three',
  ]);
});

test('[WB47] 10,000 messages, one below the other, have their lines without a stack as deep, and twice as many take twice the work', () => {
  const layOut = (count: number): { rows: OutlineRow[]; work: CountedWork } => {
    const nodes = Array.from({ length: count }, (_, index) =>
      node(`n${index}`, index === 0 ? 'root' : `n${index - 1}`),
    );
    const options = { root: 'root', shape: shapeOf(nodes), path: nodes.map(({ id }) => id), opened: new Map() };
    let rows: OutlineRow[] = [];
    const work = countWork(() => (rows = outlineRows(options)));
    return { rows, work };
  };
  const [half, all] = [layOut(5_000), layOut(10_000)];
  assert.equal(all.rows.length, 10_000);
  assert.ok(all.rows.every(({ guides }) => guides.length === 1));
  assertLinear(half.work, all.work);
});

test('[WB47] in a large tree the branches beside the one that is shown begin folded', () => {
  const nodes = Array.from({ length: 400 }, (_, index) => [
    node(`n${index}`, index === 0 ? 'root' : `n${index - 1}`),
    node(`side${index}`, `n${index}`),
    node(`below${index}`, `side${index}`),
  ])
    .flat()
    .slice(0, -2);
  const path = Array.from({ length: 400 }, (_, index) => `n${index}`);
  const rows = outlineRows({ root: 'root', shape: shapeOf(nodes), path, opened: new Map() });
  assert.ok(!rows.some(({ id }) => id.startsWith('below')));
  assert.equal(rows.find(({ id }) => id === 'side7')?.hidden, 1);
  assert.deepEqual([rows.at(-1)?.id, rows.at(-1)?.level], ['n399', 5], 'it goes straight on below the first forks');
  assert.ok(rows.every(({ guides }) => guides.length <= mostGuides));
});

test('[WB47] where branches part from branches many times, a line says how deep it is', () => {
  // Of each two the second is gone on from, so that no branch is the straight one for long.
  const nodes = Array.from({ length: 40 }, (_, index) => {
    const parent = index === 0 ? 'root' : `deep${index - 1}`;
    return [node(`deep${index}`, parent), node(`last${index}`, parent)];
  }).flat();
  const opened = new Map(nodes.map(({ id }) => [id, true]));
  const rows = outlineRows({ root: 'root', shape: shapeOf(nodes), path: [], opened });
  assert.equal(rows.length, 80);
  assert.equal(Math.max(...rows.map(({ level }) => level)), 40);
  assert.ok(rows.every(({ guides }) => guides.length <= mostGuides));
});

test('[WB46] the turns of other programs, which do not name them, are folded as well', () => {
  const spoken = { role: 'assistant' } as const;
  const shape = shapeOf([
    node('ask', 'root'),
    node('one', 'ask', spoken),
    node('tool', 'one', { role: 'tool' }),
    node('two', 'tool', spoken),
    node('more', 'two'),
    node('three', 'more', spoken),
  ]);
  const rows = outlineRows({ root: 'root', shape, path: [...shape.nodes.keys()], opened: new Map() });
  assert.deepEqual(draw(rows), [' ask', ' +one', ' more', ' three']);
  assert.equal(rows[1]?.tools, 1);
});
