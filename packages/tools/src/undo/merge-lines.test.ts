import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mergeLines } from './merge-lines.ts';

test('[FU2] changes of different lines are merged, changes of the same lines or of lines that touch are not', () => {
  const base = 'a\nb\nc\nd\ne\n';
  assert.equal(mergeLines(base, 'A\nb\nc\nd\ne\n', 'a\nb\nc\nd\nE\n'), 'A\nb\nc\nd\nE\n');
  assert.equal(mergeLines(base, 'a\nb\nx\nc\nd\ne\n', 'a\nb\nc\nd\n'), 'a\nb\nx\nc\nd\n');
  assert.equal(mergeLines(base, 'a\nB\nc\nd\ne\n', 'a\nβ\nc\nd\ne\n'), undefined);
  assert.equal(mergeLines(base, 'a\nB\nc\nd\ne\n', 'a\nb\nC\nd\ne\n'), undefined);
  assert.equal(mergeLines(base, 'a\nB\nc\nd\ne\n', 'a\nB\nc\nd\nE\n'), 'a\nB\nc\nd\nE\n');
  assert.equal(mergeLines(base, base, 'x'), 'x');
  assert.equal(mergeLines('a\r\nb\r\nc\r\n', 'A\r\nb\r\nc\r\n', 'a\r\nb\r\nC'), 'A\r\nb\r\nC');
});
