import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChangeSet, Text } from '@codemirror/state';
import * as fc from 'fast-check';
import { placesAfter, placesOf } from './finding.ts';

test('[WB645] words are found without regard to case unless that is wanted, and never over each other', () => {
  const places = (text: string, words: string, isCaseSensitive = false): number[] =>
    placesOf(text, { words, isCaseSensitive });
  assert.deepEqual(places('Tide tide TIDE', 'tide'), [0, 5, 10]);
  assert.deepEqual(places('Tide tide TIDE', 'tide', true), [5]);
  assert.deepEqual(places('aaaa', 'aa'), [0, 2]);
  assert.deepEqual(places('anything', ''), []);
  // In lower case this letter has two units.
  assert.deepEqual(places('İstanbul LOW', 'low'), [9]);
  assert.deepEqual(places('ΟΔΟΣ ΟΔΟΣ.', 'οδοσ'), [0, 5]);
});

test('[WB735] after any change the places are those of the whole text, though only what is near the change is read', () => {
  const anyText = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'İ', 'Σ', ' ', '\n'), maxLength: 12 });
  const anyWords = fc.constantFrom('a', 'aa', 'aba', 'ab', 'σ', 'σ a');
  const anySplice = fc.record({ at: fc.nat(60), delete: fc.nat(4), insert: anyText });
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'Σ', ' '), maxLength: 60 }),
      anyWords,
      fc.boolean(),
      fc.array(fc.array(anySplice, { maxLength: 2 }), { maxLength: 8 }),
      (start, words, isCaseSensitive, edits) => {
        const finding = { words, isCaseSensitive };
        let doc = Text.of(start.split('\n'));
        let places = placesOf(start, finding);
        for (const splices of edits) {
          const specs = splices.map(({ at, delete: count, insert }) => {
            const from = Math.min(at, doc.length);
            return { from, to: Math.min(from + count, doc.length), insert };
          });
          const changes = ChangeSet.of(specs, doc.length, '\n');
          doc = changes.apply(doc);
          places = placesAfter(places, changes, doc, finding);
          assert.deepEqual(places, placesOf(doc.toString(), finding), JSON.stringify(doc.toString()));
        }
      },
    ),
    { numRuns: 2000 },
  );
});
