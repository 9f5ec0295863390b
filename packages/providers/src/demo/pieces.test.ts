import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyText } from '@loom/blocks/testing';
import * as fc from 'fast-check';
import { cutIntoPieces } from './pieces.ts';

test('[DM21] pieces add up to the text, and none is empty, too long or half a character', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(anyText, lengths, (text, sizes) => {
      const pieces = cutIntoPieces(text, sizes);
      assert.equal(pieces.join(''), text);
      for (const piece of pieces) {
        assert.ok(piece.length >= 1 && piece.length <= 10 && piece.isWellFormed());
        assert.ok(!piece.slice(1).includes('\n'));
      }
    }),
  );
});

test('[DM21] cuts fall inside words, before line breaks and inside emoji that have several characters', () => {
  assert.deepEqual(cutIntoPieces('weaving\r\n👍🏽!', [3]), ['wea', 'vin', 'g\r', '\n👍', '🏽!']);
  assert.deepEqual(cutIntoPieces('👍🏽', [1]), ['👍', '🏽']);
});
