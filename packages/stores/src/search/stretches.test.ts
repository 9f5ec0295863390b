import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseSync } from 'node:sqlite';
import * as fc from 'fast-check';
import { planStretches, stretchSize } from './stretches.ts';
import type { CutBlock, KnownStretch } from './stretches.ts';
import { TrigramWords, trigramQuery } from './trigrams.ts';

/** The stretches of a plan as the index would keep them; new ones get the numbers that follow. */
function carryOut(known: readonly KnownStretch[], blocks: readonly CutBlock[], firstId: number): KnownStretch[] {
  let id = firstId;
  return planStretches(known, blocks).map((stretch) => {
    if (stretch.type === 'new')
      return { id: (id += 1), keys: blocks.slice(stretch.from, stretch.to).map(({ key }) => key) };
    return known.find((one) => one.id === stretch.id) ?? assert.fail('an unknown one is kept');
  });
}

const blocksOf = (lengths: readonly number[], name = 'b'): CutBlock[] =>
  lengths.map((length, index) => ({ key: `${name}${index}`, length }));

test('[SE65] stretches hold every block whole, once and in order, whatever changed since they were cut', () => {
  const lengths = fc.array(fc.nat({ max: 40_000 }), { maxLength: 40 });
  const changes = fc.array(fc.record({ at: fc.nat(), removed: fc.nat({ max: 3 }), added: lengths }), { maxLength: 5 });
  fc.assert(
    fc.property(lengths, changes, (first, steps) => {
      let blocks = blocksOf(first);
      let known = carryOut([], blocks, 0);
      for (const [number, { at, removed, added }] of steps.entries()) {
        const place = at % (blocks.length + 1);
        blocks = blocks.toSpliced(place, removed, ...blocksOf(added, `c${number}-`));
        known = carryOut(known, blocks, (number + 1) * 1_000);
        assert.deepEqual(
          known.flatMap(({ keys }) => keys),
          blocks.map(({ key }) => key),
        );
        assert.ok(known.every(({ keys }) => keys.length > 0));
        assert.equal(new Set(known.map(({ id }) => id)).size, known.length);
      }
    }),
  );
});

test('[SE65] a change is cut anew where it is, and what is said bit by bit does not become as many stretches', () => {
  const blocks = blocksOf(Array.from({ length: 40 }, () => stretchSize / 4));
  const known = carryOut([], blocks, 0);
  assert.equal(known.length, 10);
  const changed = blocks.toSpliced(21, 1, { key: 'changed', length: 10 });
  const kept = planStretches(known, changed).filter(({ type }) => type === 'kept');
  assert.equal(kept.length, 9);
  let said: CutBlock[] = [];
  let stretches: KnownStretch[] = [];
  for (let count = 0; count < 100; count += 1) {
    said = [...said, { key: `s${count}`, length: 500 }];
    stretches = carryOut(stretches, said, count * 10);
  }
  assert.ok(stretches.length <= 4, `${stretches.length} stretches for 50,000 characters`);
});

test('[SE65] what a text contains is found by its trigrams, whatever the case of its letters', () => {
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
  const character = fc.constantFrom('a', 'b', 'K', 's', ' ', '\n', '\0', '"', 'é', 'ж', '龘', '😀', 'Σ', 'ß', 'İ');
  fc.assert(
    fc.property(fc.array(character, { minLength: 3, maxLength: 40 }), fc.nat(), fc.nat(), (characters, start, size) => {
      const text = characters.join('');
      const from = start % (text.length - 2);
      const literal = text.slice(from, from + 3 + (size % 20));
      const spelled = text
        .replaceAll('K', '\u212a')
        .replaceAll('s', 'ſ')
        .replaceAll('Σ', 'ς')
        .replaceAll('é', 'É')
        .replaceAll('ж', 'Ж');
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
