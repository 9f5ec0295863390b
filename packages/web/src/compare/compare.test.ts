import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareRows, withoutResults } from './compare-rows.ts';
import { changedFiles } from './changed-files.ts';
import type { DiffPair } from './compare-rows.ts';
import { diffWords } from '../words/word-diff.ts';

const marked = (pieces: readonly { text: string; isSame: boolean }[]) =>
  pieces.map(({ text, isSame }) => (isSame ? text : `[${text}]`)).join('');

test('[WB53] differing words are found on both sides, with the spaces between them', () => {
  const { left, right } = diffWords(
    'The day is in the zone, from instants stored.',
    'The day is in the own zone, with a type.',
  );
  assert.equal(marked(left), 'The day is in the zone, [from instants stored].');
  assert.equal(marked(right), 'The day is in the [own ]zone, [with a type].');
});

test('[WB53] texts that are the same differ nowhere; texts with nothing in common differ as a whole', () => {
  assert.equal(marked(diffWords('one two', 'one two').left), 'one two');
  assert.equal(marked(diffWords('one', '').left), '[one]');
  assert.deepEqual(diffWords('', '').right, []);
});

test('[WB53] long texts are compared at their ends alone, where each word with each would be too much work', () => {
  const long = (word: string, count: number) => `begin ${`${word} same `.repeat(count)}end`;
  const isSame = (count: number) => diffWords(long('a', count), long('b', count)).left.map((piece) => piece.isSame);
  assert.deepEqual(isSame(2), [true, false, true, false, true]);
  assert.deepEqual(isSame(20_000), [true, false, true]);
});

test('[WB54] only what differs: runs of pairs that are the same are folded', () => {
  const side = (id: string) => ({ node: 'n', block: { type: 'text' as const, text: id, block_id: id } });
  const same = (id: string): DiffPair => ({ type: 'same', left: side(id), right: side(id) });
  const pairs: DiffPair[] = [same('a'), same('b'), { type: 'only-left', left: side('c') }, same('d')];
  assert.deepEqual(
    compareRows(pairs, true).map((row) => (row.kind === 'same' ? row.pairs.length : row.pair.type)),
    [2, 'only-left', 1],
  );
  assert.equal(compareRows(pairs, false).length, 4);
});

test('[WB54] what came back from a tool stands with its call, and the files of each branch are summed up', () => {
  const side = (node: string) => ({ node, block: { type: 'text' as const, text: node, block_id: node } });
  const pairs: DiffPair[] = [
    { type: 'changed', left: side('a'), right: side('tool') },
    { type: 'same', left: side('tool'), right: side('tool') },
    { type: 'only-right', right: side('b') },
  ];
  assert.deepEqual(
    withoutResults(pairs, ({ node }) => node === 'tool').map(({ type }) => type),
    ['only-left', 'only-right'],
  );
  const change = (path: string, kind: 'add' | 'modify', diff: string) => ({ path, kind, diff });
  const block = (...changes: ReturnType<typeof change>[]) => ({ type: 'file-change' as const, changes });
  assert.deepEqual(
    changedFiles([
      block(change('b.ts', 'add', '@@ -0,0 +1,2 @@\n+one\n+two\n')),
      block(change('b.ts', 'modify', '@@ -1,2 +1,2 @@\n one\n-two\n+three\n'), change('a.ts', 'modify', '')),
    ]),
    [
      { path: 'a.ts', kind: 'modify', added: 0, deleted: 0 },
      { path: 'b.ts', kind: 'add', added: 3, deleted: 1 },
    ],
  );
});
