import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { AppendBuffer } from '../index.ts';

test('[AB1] text is due after a line break or above 50 characters, and waits otherwise', () => {
  const buffer = new AppendBuffer();
  assert.equal(buffer.push('a'.repeat(50)), '');
  assert.equal(buffer.push('b'), `${'a'.repeat(50)}b`);
  assert.equal(buffer.push('one'), '');
  assert.equal(buffer.push(' two\nthree'), 'one two\nthree');
  assert.ok(buffer.isEmpty);
  assert.equal(buffer.push(' '), '');
  assert.equal(buffer.take(), ' ');
});

test('[AB2] the first half of a surrogate pair waits for the second, and becomes U+FFFD if that never comes', () => {
  const buffer = new AppendBuffer();
  assert.equal(buffer.push(`x\n\uD83D`), 'x\n');
  assert.equal(buffer.take(), '');
  assert.equal(buffer.push('\uDE00\n'), '😀\n');
  buffer.push('\uD83D');
  assert.equal(buffer.end(), '\uFFFD');
  assert.equal(buffer.push('a\0b\uDE00\n'), 'a\uFFFDb\uFFFD\n');
  buffer.push('\0');
  assert.equal(buffer.end(), '\uFFFD');
});

test('[AB3] however a text is cut into deltas, the pieces add up to it and no piece ends in half a pair', () => {
  const anyDeltas = fc.array(fc.string({ unit: fc.constantFrom('a', '\n', ' ', '\uD83D', '\uDE00', '語') }));
  fc.assert(
    fc.property(anyDeltas, fc.func(fc.boolean()), (deltas, takeNow) => {
      const buffer = new AppendBuffer();
      const pieces = deltas.flatMap((delta, index) => [buffer.push(delta), takeNow(index) ? buffer.take() : '']);
      for (const piece of pieces) assert.ok(!/[\uD800-\uDBFF]$/.test(piece));
      // Only a half that stays alone at the very end is replaced.
      assert.equal([...pieces, buffer.end()].join('').toWellFormed(), deltas.join('').toWellFormed());
    }),
  );
});
