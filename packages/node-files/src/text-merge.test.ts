import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { spliceText } from '@loom/blocks';
import { diffText } from './text-difference.ts';
import { mergeText } from './text-merge.ts';

const anyText = fc
  .array(fc.constantFrom('a', 'b ', 'cd', '\r\n', '\n', '😀', 'é', 'word ', '👩‍👧', ','), { maxLength: 25 })
  .map((pieces) => pieces.join(''));

const merged = (base: string, current: string, edited: string): string =>
  spliceText(current, mergeText(base, current, edited));

test('[NW40] the difference of two texts makes the one of the other, in order, and cuts no character', () => {
  fc.assert(
    fc.property(anyText, anyText, (before, after) => {
      const splices = diffText(before, after);
      assert.equal(spliceText(before, splices), after);
      let end = -1;
      for (const { at, delete: count, insert } of splices) {
        assert.ok(at > end || (at === end && count === 0) || end === -1);
        end = at + count;
        assert.ok(before.slice(at, end).isWellFormed() && insert.isWellFormed());
      }
    }),
    { numRuns: 500 },
  );
});

test('[NW40] only what differs is replaced, however long the texts are', () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`);
  const before = lines.join('');
  const after = lines.with(5, 'line five\n').with(19_000, 'another line 19000\n').join('');
  assert.deepEqual(
    diffText(before, after).map(({ delete: count, insert }) => [count, insert]),
    [
      [1, 'five'],
      [0, 'another '],
    ],
  );
  const others = Array.from({ length: 3000 }, (_, index) => `other ${index}\n`).join('');
  assert.equal(spliceText(before, diffText(before, others)), others);
});

test('[NW41] without an edit nothing happens, and an edit of the newest text is made as it is', () => {
  fc.assert(
    fc.property(anyText, anyText, (base, other) => {
      assert.equal(merged(base, other, base), other);
      assert.equal(merged(base, base, other), other);
      assert.equal(merged(base, other, other), other);
    }),
  );
});

test('[NW41] nothing that came meanwhile is lost, and all that was typed into the file is there', () => {
  const letters = fc.string({ unit: fc.constantFrom('x', 'y', 'z'), minLength: 1, maxLength: 3 });
  const insertions = fc.array(fc.tuple(fc.nat(40), letters), { maxLength: 4 });
  const type = (text: string, typed: readonly (readonly [number, string])[], mark: string): string =>
    typed.reduce((result, [at, word]) => {
      // In front of a word: where both write into one word, it may come twice.
      const places = [...result.matchAll(/\b\w/gu)].map(({ index }) => index);
      const place = places[at % places.length] ?? 0;
      return `${result.slice(0, place)}${mark}${word} ${result.slice(place)}`;
    }, text);
  fc.assert(
    fc.property(insertions, insertions, (ours, theirs) => {
      const base = 'one two three\nfour five six\nseven eight nine\n';
      const [current, edited] = [type(base, ours, 'o'), type(base, theirs, 't')];
      const result = merged(base, current, edited);
      // In whatever order: every character that either side added is there once, and so is every character of the base.
      assert.deepEqual(result.split('').sort(), expected(base, current, edited));
    }),
    { numRuns: 500 },
  );
});

/** The characters of both texts, those of their base once. */
function expected(base: string, current: string, edited: string): string[] {
  const characters = (current + edited).split('');
  for (const character of base.split('')) characters.splice(characters.indexOf(character), 1);
  return characters.sort();
}

test('[NW41] what both did is done once, and what is typed where both type stands in front of what came', () => {
  assert.equal(merged('one two', 'one 2', 'one 2'), 'one 2');
  assert.equal(merged('a b c d', 'a B c d', 'a B c D'), 'a B c D');
  assert.equal(merged('so far\n', 'so far\nand on\n', 'so far\n(a note)\n'), 'so far\n(a note)\nand on\n');
  assert.equal(merged('one two three', 'one two three four', 'one three'), 'one three four');
  assert.equal(merged('one two three', 'one three', 'one 2 three'), 'one 2three');
});
