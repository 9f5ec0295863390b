import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { LineSplitter } from './line-splitter.ts';

function split(pieces: readonly Uint8Array[], limit?: number): { lines: string[]; tooLong: number[] } {
  const lines: string[] = [];
  const tooLong: number[] = [];
  const splitter = new LineSplitter(
    { line: (text) => void lines.push(text), tooLong: (bytes) => void tooLong.push(bytes) },
    limit,
  );
  for (const piece of pieces) splitter.push(piece);
  splitter.end();
  return { lines, tooLong };
}

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

test('[IM1] lines end at line feeds alone, with or without a carriage return, wherever the bytes are cut', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'ü', '😀', '\u2028', '\u0085', '"', ' ') });
  fc.assert(
    fc.property(
      fc.array(line),
      fc.boolean(),
      fc.boolean(),
      fc.integer({ min: 1, max: 7 }),
      (lines, crlf, last, size) => {
        const text = lines.map((each) => `${each}${crlf ? '\r\n' : '\n'}`).join('');
        const bytes = bytesOf(last ? text : text.replace(/\r?\n$/, ''));
        const pieces: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size));
        const expected = last || lines.at(-1) !== '' ? lines : lines.slice(0, -1);
        assert.deepEqual(split(pieces).lines, expected);
      },
    ),
  );
});

test('[IM1] a piece of memory that is used again after it was pushed does no harm', () => {
  const buffer = new Uint8Array(3);
  const lines: string[] = [];
  const splitter = new LineSplitter({ line: (text) => void lines.push(text), tooLong: () => {} });
  for (const text of ['abc', 'de\n', 'f\ng', '\n\nh']) {
    buffer.set(bytesOf(text.padEnd(3, '\n')));
    splitter.push(buffer.subarray(0, text.length));
  }
  splitter.end();
  assert.deepEqual(lines, ['abcde', 'f', 'g', '', 'h']);
});

test('[IM2] a line above the limit is passed over without being held, and the next one is read', () => {
  const piece = bytesOf('x'.repeat(1000));
  const { lines, tooLong } = split(
    [bytesOf('one\n'), ...Array.from({ length: 50 }, () => piece), bytesOf('\ntwo\n')],
    4096,
  );
  assert.deepEqual(lines, ['one', 'two']);
  assert.deepEqual(tooLong, [50_000]);
});

test('[IM1] a byte order mark at the beginning is dropped', () => {
  assert.deepEqual(split([bytesOf('\uFEFF{"a":1}\n{"b":"\uFEFF"}')]).lines, ['{"a":1}', '{"b":"\uFEFF"}']);
});
