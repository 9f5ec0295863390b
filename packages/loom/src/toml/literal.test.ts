import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anyCharacters } from '@loom/blocks/testing';
import * as fc from 'fast-check';
import { parse } from 'smol-toml';
import { encodeLiteral } from './literal.ts';

const text = fc.oneof(
  anyCharacters,
  fc
    .array(fc.constantFrom('"', '\\', '\n', '\r', '\t', "'", ' ', 'a', '\u007F', '\u0000', '\\n', '"""'))
    .map((all) => all.join('')),
);

test('[CF25] any text is read back as it was written, on one line or spread over several', () => {
  fc.assert(
    fc.property(text, fc.boolean(), (value, spread) => {
      assert.equal(parse(`key = ${encodeLiteral(value, spread)} # comment\n`)['key'], value);
    }),
    { numRuns: 2000 },
  );
});

test('[CF25] any number, truth value or list is read back as it was written', () => {
  const value = fc.oneof(fc.double(), fc.maxSafeInteger(), fc.boolean(), fc.array(text));
  fc.assert(
    fc.property(value, (written) => {
      assert.deepEqual(parse(`key = ${encodeLiteral(written)}\n`)['key'], written);
    }),
    { numRuns: 2000 },
  );
});

test('[CF25] a text of several lines is written as prose', () => {
  assert.equal(encodeLiteral('You are "brief".\nAnd kind.', true), '"""\nYou are "brief".\nAnd kind."""');
  assert.equal(encodeLiteral('You are "brief".\nAnd kind.'), '"You are \\"brief\\".\\nAnd kind."');
});
