import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { cutStretches } from './stretches.ts';
import { TrigramWords, trigramQuery } from './index/trigrams.ts';

test('[SE65] stretches hold every block whole, once and in order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat({ max: 40_000 }), { maxLength: 60 }), (lengths) => {
      const stretches = cutStretches(lengths);
      const blocks = stretches.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index));
      assert.deepEqual(blocks, [...lengths.keys()]);
      assert.ok(stretches.every(({ from, to }) => to > from));
    }),
  );
});

test('[SE65] what a text contains is found by its trigrams, with the case of ASCII ignored', () => {
  using database = new DatabaseSync(':memory:');
  database.exec(
    "CREATE VIRTUAL TABLE words USING fts5(word, content='', contentless_delete=1, detail=none, tokenize='ascii')",
  );
  const [insert, clear] = [
    database.prepare('INSERT INTO words (rowid, word) VALUES (1, ?)'),
    database.prepare('DELETE FROM words WHERE rowid = 1'),
  ];
  const match = database.prepare('SELECT rowid FROM words WHERE words MATCH ?');
  const words = new TrigramWords();
  const character = fc.constantFrom('a', 'b', 'K', 's', ' ', '\n', '\0', '"', 'é', 'ж', '龘', '😀');
  fc.assert(
    fc.property(fc.array(character, { minLength: 3, maxLength: 40 }), fc.nat(), fc.nat(), (characters, start, size) => {
      const text = characters.join('');
      const from = start % (text.length - 2);
      const literal = text.slice(from, from + 3 + (size % 20));
      const spelled = text.replaceAll('K', '\u212a').replaceAll('s', 'ſ');
      insert.run(words.of(['before', spelled]));
      const found = match.all(trigramQuery([[literal]]) ?? '');
      clear.run();
      assert.equal(found.length, 1);
    }),
  );
});

test('[SE65] trigrams rule out what has others, and too short texts rule out nothing', () => {
  assert.equal(trigramQuery([['ab']]), undefined);
  assert.equal(trigramQuery([['abc', 'de']]), undefined);
  assert.equal(trigramQuery([]), undefined);
  assert.notEqual(trigramQuery([['ab'], ['abcd']]), undefined);
  const words = new TrigramWords();
  // None reaches from one text into the next.
  assert.equal(words.of(['ab', 'cd']), '');
  assert.equal(words.of(['ABC']), words.of(['abcabc'.slice(0, 3)]));
  assert.notEqual(words.of(['abc']), words.of(['abd']));
});
