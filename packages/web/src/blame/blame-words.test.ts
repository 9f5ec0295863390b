import assert from 'node:assert/strict';
import { test } from 'node:test';
import { lineNow, rangeAt, rangeWords, readFileLine, turnFacts } from './blame-words.ts';

const noon = Date.parse('2026-11-12T12:00:00Z');

test('[WB706] a line is found again by what it said, nearest to where it was, and nowhere if it is gone', () => {
  const lines = ['{', 'a', '}', '{', 'b', '}'];
  assert.equal(lineNow(lines, { line: 5, text: 'a' }), 2);
  assert.equal(lineNow(lines, { line: 5, text: '}' }), 6);
  assert.equal(lineNow(lines, { line: 4, text: '}' }), 3);
  assert.equal(lineNow(lines, { line: 900, text: '{' }), 4);
  assert.equal(lineNow(lines, { line: 2, text: 'c' }), undefined);
  assert.equal(lineNow(lines, { line: 2 }), 2);
  assert.equal(lineNow(lines, { line: 7 }), undefined);
  assert.equal(lineNow([], { line: 1, text: '' }), undefined);
});

test('[WB706] a place is read as a path, with a line or without one', () => {
  assert.deepEqual(readFileLine(' src/a.ts:12 '), { path: 'src/a.ts', line: 12 });
  assert.deepEqual(readFileLine('C:/a.ts'), { path: 'C:/a.ts' });
  assert.deepEqual(readFileLine('odd:3:4'), { path: 'odd:3', line: 4 });
  assert.deepEqual(readFileLine('a:0'), { path: 'a:0' });
});

test('[WB705] a turn is told by its number, its conversation and who answered', () => {
  const turn = { root: 'r', opening: 'Add a table', node: 'r/1', words: 'Now in feet', time: '2026-11-12T12:00:00Z' };
  assert.deepEqual(turnFacts({ ...turn, number: 2, model: 'p:m' }, noon).slice(0, 2), [
    'Turn 2 of “Add a table”',
    'p:m',
  ]);
  assert.deepEqual(turnFacts({ ...turn, root_title: 'Tides', source: 'codex' }, noon).slice(0, 2), [
    'In “Tides”',
    'Codex',
  ]);
  const ranges = [
    { start: 1, end: 4 },
    { start: 5, end: 5 },
  ];
  assert.deepEqual([rangeAt(ranges, 4), rangeAt(ranges, 5), rangeAt(ranges, 6)], [0, 1, undefined]);
  assert.deepEqual(ranges.map(rangeWords), ['lines 1–4', 'line 5']);
});
