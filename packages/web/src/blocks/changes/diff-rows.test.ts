import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffTexts, formatDiff } from '@loom/blocks/patch';
import * as fc from 'fast-check';
import { readDiff, splitRows, textOf } from './diff-rows.ts';
import { wordMarks } from './word-marks.ts';

const text = fc
  .array(fc.constantFrom('one', 'two', 'three four', '', '-', '+x', '@@ -1 +1 @@', '\\ odd'), { maxLength: 12 })
  .map((lines) => lines.map((line) => `${line}\n`).join(''));

test('[WB23] the rows of a diff are its lines with their numbers on both sides, and count what it adds and deletes', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = formatDiff('a', 'a', diffTexts(before, after)) ?? '';
      const { rows, added, deleted } = readDiff(diff);
      const lines = diff.split('\n').slice(2, -1);
      assert.equal(added, rows.filter(({ kind }) => kind === 'add').length);
      assert.equal(deleted, rows.filter(({ kind }) => kind === 'delete').length);
      const hunks = diffTexts(before, after).length;
      assert.equal(rows.filter(({ kind }) => kind !== 'heading').length, lines.length - hunks);
      const [old, now] = [before.split('\n'), after.split('\n')];
      for (const row of rows) {
        if (row.before !== undefined) assert.equal(textOf(row), old[row.before - 1]);
        if (row.after !== undefined) assert.equal(textOf(row), now[row.after - 1]);
      }
      const split = splitRows(rows);
      assert.deepEqual(
        split.flatMap(({ left }) => (left?.before === undefined ? [] : [left.before])),
        rows.flatMap((row) => (row.before === undefined ? [] : [row.before])),
        'the left side is complete and in order',
      );
      assert.deepEqual(
        split.flatMap(({ right }) => (right?.after === undefined ? [] : [right.after])),
        rows.flatMap((row) => (row.after === undefined ? [] : [row.after])),
      );
    }),
    { numRuns: 300 },
  );
});

test('[WB23] of a line that was replaced the words that differ are marked', () => {
  const marks = wordMarks('  end.setHours(24, 0);', '  end.add(1);');
  const marked = (parts: readonly { text: string; isMarked: boolean }[] = []): string =>
    parts.map(({ text: words, isMarked }) => (isMarked ? `<${words}>` : words)).join('');
  assert.equal(marked(marks?.before), '  end.<setHours(24, 0>);');
  assert.equal(marked(marks?.after), '  end.<add(1>);');
  assert.equal(wordMarks('const a = 1;', 'return;'), undefined, 'other lines are not compared');
});

test('[WB23] a text that is no diff has no rows', () => {
  assert.deepEqual(readDiff('hello\n+ no\n'), { rows: [], added: 0, deleted: 0 });
});
