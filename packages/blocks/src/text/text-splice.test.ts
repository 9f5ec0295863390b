import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { spliceText } from './text-splice.ts';

test('[OF1] splices address the text before the batch, in whatever order they are listed', () => {
  const splices = [
    { at: 6, delete: 5, insert: 'all' },
    { at: 0, delete: 5, insert: 'Good morning' },
    { at: 11, delete: 0, insert: '!' },
  ];
  assert.equal(spliceText('hello world', splices), 'Good morning all!');
  assert.equal(spliceText('hello world', splices.toReversed()), 'Good morning all!');
  assert.equal(spliceText('hello', []), 'hello');
});

test('[OF1] one splice is a cut and a paste', () => {
  const anyCase = fc
    .tuple(fc.string(), fc.nat(), fc.nat(), fc.string())
    .map(([text, at, length, insert]) => ({ text, insert, at: at % (text.length + 1), length }))
    .map((one) => ({ ...one, delete: one.length % (one.text.length - one.at + 1) }));
  fc.assert(
    fc.property(anyCase, ({ text, at, delete: count, insert }) => {
      const expected = text.slice(0, at) + insert + text.slice(at + count);
      assert.equal(spliceText(text, [{ at, delete: count, insert }]), expected);
    }),
  );
});

test('[OF2] inserts at one place keep the order of the batch, beside a delete too', () => {
  const first = { at: 1, delete: 0, insert: 'X' };
  const second = { at: 1, delete: 0, insert: 'Y' };
  const cut = { at: 1, delete: 1, insert: 'Z' };
  assert.equal(spliceText('abc', [first, second]), 'aXYbc');
  assert.equal(spliceText('abc', [first, cut, second]), 'aXZYc');
  assert.equal(spliceText('abc', [cut, first]), 'aZXc');
  assert.equal(spliceText('abc', [{ at: 2, delete: 0, insert: 'Q' }, cut]), 'aZQc');
});
