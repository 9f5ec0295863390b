import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { TextChunks } from '../document/text-chunks.ts';
import { beginningOf, encodeUtf8, endOf, utf8Length } from './utf8.ts';

const byteToUtf16 = (text: string, byte: number) => new TextChunks(text).offsetOfByte(byte);

const encoder = new TextEncoder();
const anyString = fc.string({ unit: fc.constantFrom('a', 'é', '€', '😀', '\n', '\u{10FFFF}', '\u07FF', '\uD800') });

test('[OF3] the length is that of the encoded text', () => {
  fc.assert(fc.property(anyString, (text) => assert.equal(utf8Length(text), encoder.encode(text).length)));
});

test('[OF5] a text is encoded as everywhere else', () => {
  fc.assert(fc.property(anyString, (text) => assert.deepEqual(encodeUtf8(text), encoder.encode(text))));
  const scalars = [0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x10000, 0x10ffff];
  const text = String.fromCodePoint(...scalars);
  assert.deepEqual(encodeUtf8(text), encoder.encode(text));
});

test('[OF6] the beginning of a text cuts no pair', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 9].map((length) => beginningOf('a😀b', length)),
    ['', 'a', 'a', 'a😀', 'a😀b', 'a😀b'],
  );
});

test('[OF6] the end of a text cuts no pair', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 9].map((length) => endOf('a😀b', length)),
    ['', 'b', 'b', '😀b', 'a😀b', 'a😀b'],
  );
});

test('[OF4] every boundary of code points is found, and nothing between them', () => {
  fc.assert(
    fc.property(anyString, (text) => {
      const boundaries = new Map<number, number>([[0, 0]]);
      let offset = 0;
      for (const character of text) {
        offset += character.length;
        boundaries.set(encoder.encode(text.slice(0, offset)).length, offset);
      }
      const bytes = encoder.encode(text).length;
      for (let byte = -1; byte <= bytes + 1; byte += 1) assert.equal(byteToUtf16(text, byte), boundaries.get(byte));
    }),
  );
});

test('[OF4] a byte inside an emoji has no offset', () => {
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6, 7].map((byte) => byteToUtf16('a😀b', byte)),
    [0, 1, undefined, undefined, undefined, 3, 4, undefined],
  );
});
