import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { fromBase64, toBase64 } from './base64.ts';

test('[JS4] bytes are written in base64 as other programs write them, and come back', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const text = toBase64(bytes);
      assert.equal(text, Buffer.from(bytes).toString('base64'));
      assert.deepEqual(fromBase64(text), new Uint8Array(bytes));
    }),
  );
  const large = Uint8Array.from({ length: 300_001 }, (_, index) => index * 7);
  assert.equal(toBase64(large), Buffer.from(large).toString('base64'));
  assert.deepEqual(fromBase64(toBase64(large)), large);
});

test('[JS4] a part of a buffer is written without what lies around it', () => {
  assert.equal(toBase64(Uint8Array.of(1, 2, 3, 4, 5).subarray(1, 3)), 'AgM=');
});

test('[JS4] base64 is read without its padding, and with white space in it', () => {
  assert.deepEqual(fromBase64('AgM'), Uint8Array.of(2, 3));
  assert.deepEqual(fromBase64('Ag'), Uint8Array.of(2));
  assert.deepEqual(fromBase64(' AAEC\r\nAwQ=\n'), Uint8Array.of(0, 1, 2, 3, 4));
  assert.deepEqual(fromBase64(''), new Uint8Array());
});

test('[JS4] what is not base64 is refused', () => {
  const texts = [
    'A',
    'AAAAA',
    '=',
    '==',
    '====',
    'A===',
    'AA=',
    'AA=A',
    'AAA=AAAA',
    'A-A_',
    'AAA!',
    'é===',
    'AA\u0000A',
    'ÃÃÃÃ',
  ];
  for (const text of texts) assert.throws(() => fromBase64(text), SyntaxError, JSON.stringify(text));
});
