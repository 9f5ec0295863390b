import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { spliceText } from './text-splice.ts';
import { diffSplices } from './text-difference.ts';
import { mergeText } from './text-merge.ts';

const wordedText = fc
  .array(fc.constantFrom('a', 'b ', 'cd', '\r\n', '\n', '😀', 'é', 'word ', '👩‍👧', ','), { maxLength: 25 })
  .map((pieces) => pieces.join(''));
const signs = fc.string({ unit: fc.constantFrom('a', 'b', 'c', '\n', '\r\n', '😀', '😁', 'é'), maxLength: 40 });
const anyText = fc.oneof(wordedText, signs);

const merged = (base: string, current: string, edited: string): string =>
  spliceText(current, mergeText(base, current, edited));

test('[MG1] the difference of two texts makes the one of the other, in order, and cuts no character', () => {
  fc.assert(
    fc.property(anyText, anyText, (before, after) => {
      const splices = diffSplices(before, after);
      assert.equal(spliceText(before, splices), after);
      let end = -1;
      for (const { at, delete: count, insert } of splices) {
        assert.ok(at > end && (count > 0 || insert !== ''));
        end = at + count;
        assert.ok(before.slice(0, at).isWellFormed() && before.slice(0, end).isWellFormed() && insert.isWellFormed());
        for (const place of [at, end]) assert.notEqual(before.slice(place - 1, place + 1), '\r\n');
      }
    }),
    { numRuns: 2000 },
  );
});

test('[MG1] only what differs is replaced, however long the texts are', () => {
  const lines = Array.from({ length: 20_000 }, (_, index) => `line ${index}\n`);
  const before = lines.join('');
  const after = lines.with(5, 'line five\n').with(19_000, 'another line 19000\n').join('');
  assert.deepEqual(
    diffSplices(before, after).map(({ delete: count, insert }) => [count, insert]),
    [
      [1, 'five'],
      [0, 'another '],
    ],
  );
});

test('[MG2] texts that have little or nothing in common are compared in bounded time', () => {
  const [before, after] = ['ab'.repeat(20_000), 'cd'.repeat(20_000)];
  assert.deepEqual(diffSplices(before, after), [{ at: 0, delete: 40_000, insert: after }]);
  const page = (word: string): string =>
    Array.from({ length: 200 }, (_, line) => `${line}\n${`${word}${line} `.repeat(500)}\n`).join('');
  // Without a bound this would take hours.
  const [one, other] = [page('one'), page('other')];
  assert.equal(spliceText(one, diffSplices(one, other)), other);
  assert.match(merged(one, other, page('another')), /another/u);
});

test('[MG3] without an edit nothing happens, an edit of the newest text is made as it is, and the same on both sides once', () => {
  fc.assert(
    fc.property(anyText, anyText, (base, other) => {
      assert.deepEqual(mergeText(base, other, base), []);
      assert.equal(merged(base, base, other), other);
      assert.equal(merged(base, other, other), other);
    }),
  );
  assert.equal(merged('a b c d', 'a B c d', 'a B c D'), 'a B c D');
});

test('[MG4] what is typed on both sides is there once, and what either side deleted is gone', () => {
  // Every character is there once, so each can be followed separately.
  const base = Array.from({ length: 12 }, (_, index) => String.fromCodePoint(0x61 + index));
  const edit = fc.record({ kept: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), place: fc.nat(12) });
  const edited = ({ kept, place }: { kept: boolean[]; place: number }, typed: string): string =>
    base.map((character, index) => (index === place ? typed : '') + (kept[index] === true ? character : '')).join('') +
    (place === 12 ? typed : '');
  fc.assert(
    fc.property(edit, edit, (mine, theirs) => {
      const result = merged(base.join(''), edited(theirs, 'XY'), edited(mine, 'PQ'));
      const left = base.filter((_, index) => mine.kept[index] === true && theirs.kept[index] === true);
      assert.equal(Array.from(result).sort().join(''), [...left, 'P', 'Q', 'X', 'Y'].sort().join(''));
    }),
    { numRuns: 2000 },
  );
});

test('[MG4] over several words and lines nothing that came meanwhile is lost, and all that was typed is there', () => {
  const letters = fc.string({ unit: fc.constantFrom('x', 'y', 'z'), minLength: 1, maxLength: 3 });
  const insertions = fc.array(fc.tuple(fc.nat(40), letters), { maxLength: 4 });
  const type = (text: string, typed: readonly (readonly [number, string])[], mark: string): string =>
    typed.reduce((result, [at, word]) => {
      const places = [...result.matchAll(/\b\w/gu)].map(({ index }) => index);
      const place = places[at % places.length] ?? 0;
      return `${result.slice(0, place)}${mark}${word} ${result.slice(place)}`;
    }, text);
  fc.assert(
    fc.property(insertions, insertions, (ours, theirs) => {
      const base = 'one two three\nfour five six\nseven eight nine\n';
      const [current, edited] = [type(base, ours, 'o'), type(base, theirs, 't')];
      const result = merged(base, current, edited);
      // In any order: every character that either side added is there once, and so is every character of the base.
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

test('[MG4] edits of the same words', () => {
  assert.equal(merged('one two', 'one 2', 'one 2'), 'one 2');
  assert.equal(merged('one two three', 'one two three four', 'one three'), 'one three four');
  assert.equal(merged('one two three', 'one three', 'one 2 three'), 'one 2three');
  assert.equal(merged('one two three', 'zero one two three', 'one TWO three!'), 'zero one TWO three!');
  assert.equal(merged('one two', 'one two three', 'one'), 'one three');
  assert.equal(merged('abcdef', 'abcXdef', 'af'), 'aXf');
  assert.equal(merged('abcdef', 'af', 'abcXdef'), 'aXf');
  assert.equal(merged('abc', 'abcX', 'abcX'), 'abcX');
});

test('[MG5] what is typed where both type stands in front of what came', () => {
  assert.equal(merged('so far\n', 'so far\nand on\n', 'so far\n(a note)\n'), 'so far\n(a note)\nand on\n');
  assert.equal(merged('abc', 'aYc', 'aXc'), 'aXYc');
});
