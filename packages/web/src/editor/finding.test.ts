import assert from 'node:assert/strict';
import { test } from 'node:test';
import { placesOf } from './finding.ts';

test('[WB645] words are found without regard to case unless that is wanted, and never over each other', () => {
  const places = (text: string, words: string, isCaseSensitive = false): number[] =>
    placesOf(text, { words, isCaseSensitive });
  assert.deepEqual(places('Tide tide TIDE', 'tide'), [0, 5, 10]);
  assert.deepEqual(places('Tide tide TIDE', 'tide', true), [5]);
  assert.deepEqual(places('aaaa', 'aa'), [0, 2]);
  assert.deepEqual(places('anything', ''), []);
  // In lower case this letter has two units.
  assert.deepEqual(places('İstanbul low', 'low'), [9]);
});
