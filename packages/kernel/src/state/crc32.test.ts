import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crc32 as crc32OfBytes } from 'node:zlib';
import { anyCharacters } from '@loom/blocks/testing';
import * as fc from 'fast-check';
import { crc32 } from './crc32.ts';

const strange = anyCharacters;
const plain = fc.string({ unit: 'binary-ascii', maxLength: 80 });
const mixed = fc.array(fc.oneof(strange, plain), { maxLength: 4 }).map((parts) => parts.join(''));

test('[LO8] the checksum is the CRC-32 of the UTF-16 bytes, whatever the length of the text', () => {
  fc.assert(
    fc.property(fc.oneof(strange, plain, mixed), (text) => {
      const expected = crc32OfBytes(Buffer.from(text, 'utf16le')).toString(16).padStart(8, '0');
      assert.equal(crc32(text), expected);
    }),
    { numRuns: 500 },
  );
});
