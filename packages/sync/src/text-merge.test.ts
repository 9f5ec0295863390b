import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spliceText } from '@loom/blocks';
import * as fc from 'fast-check';
import { compareTexts } from './text-comparison.ts';
import { mergeTexts } from './text-merge.ts';

const anyText = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n', '\r\n', '😀', '😁', 'é'), maxLength: 40 });

test('[SY24] a comparison gives splices in order that make the new text and cut no character', () => {
  fc.assert(
    fc.property(anyText, anyText, (before, after) => {
      const splices = compareTexts(before, after);
      assert.equal(spliceText(before, splices), after);
      let end = 0;
      for (const { at, delete: count, insert } of splices) {
        assert.ok(at >= end && before.slice(0, at).isWellFormed() && before.slice(0, at + count).isWellFormed());
        assert.ok(insert.isWellFormed() && (count > 0 || insert !== ''));
        end = at + count;
      }
    }),
    { numRuns: 1000 },
  );
});

test('[SY24] texts that have nothing in common are compared in bounded time', () => {
  const [before, after] = ['ab'.repeat(20_000), 'cd'.repeat(20_000)];
  assert.deepEqual(compareTexts(before, after), [{ at: 0, delete: 40_000, insert: after }]);
});

test('[SY25] a merge with nothing on one side is the other side, and the same change on both sides is made once', () => {
  fc.assert(
    fc.property(anyText, anyText, (base, changed) => {
      assert.equal(spliceText(base, mergeTexts(base, changed, base)), changed);
      assert.deepEqual(mergeTexts(base, base, changed), []);
      assert.equal(spliceText(changed, mergeTexts(base, changed, changed)), changed);
    }),
  );
});

test('[SY25] a merge keeps what each side typed and deletes what each side deleted', () => {
  const merged = (base: string, mine: string, theirs: string): string =>
    spliceText(theirs, mergeTexts(base, mine, theirs));
  assert.equal(merged('one two three', 'one TWO three!', 'zero one two three'), 'zero one TWO three!');
  assert.equal(merged('one two', 'one', 'one two three'), 'one three');
  assert.equal(merged('abc', 'aXc', 'aYc'), 'aYXc');
  assert.equal(merged('abcdef', 'af', 'abcXdef'), 'aXf');
  assert.equal(merged('abcdef', 'abcXdef', 'af'), 'aXf');
  assert.equal(merged('abc', 'abcX', 'abcX'), 'abcX');
});

test('[SY25] what is typed on both sides is there once, and what either side deleted is gone', () => {
  // Every character is there once, so each can be followed by itself.
  const base = Array.from({ length: 12 }, (_, index) => String.fromCodePoint(0x61 + index));
  const edit = fc.record({ kept: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), place: fc.nat(12) });
  const edited = ({ kept, place }: { kept: boolean[]; place: number }, typed: string): string =>
    base.map((character, index) => (index === place ? typed : '') + (kept[index] === true ? character : '')).join('') +
    (place === 12 ? typed : '');
  fc.assert(
    fc.property(edit, edit, (mine, theirs) => {
      const remote = edited(theirs, 'XY');
      const result = spliceText(remote, mergeTexts(base.join(''), edited(mine, 'PQ'), remote));
      const left = base.filter((_, index) => mine.kept[index] === true && theirs.kept[index] === true);
      assert.equal(Array.from(result).sort().join(''), [...left, 'P', 'Q', 'X', 'Y'].sort().join(''));
    }),
    { numRuns: 2000 },
  );
});
