import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { lineCount, readLines, splitLines } from './lines.ts';
import { anyLines } from './testing/arbitraries.ts';

const read = (text: string, start: number, end: number, numbered = false) => {
  const reading = readLines(text, { start, end }, numbered);
  return reading.ok ? reading.content : reading.refusal;
};

test('[LN1] line breaks end lines, a lone carriage return does not', () => {
  const counts = {
    '': 0,
    a: 1,
    'a\n': 1,
    'a\nb': 2,
    'a\n\n': 2,
    '\n': 1,
    'a\r\nb\r\n': 2,
    'a\rb': 1,
    '\r': 1,
    '\r\n\r': 2,
  };
  for (const [text, count] of Object.entries(counts)) assert.equal(lineCount(text), count, JSON.stringify(text));
});

test('[LN1] the lines of a text, put together, are the text', () => {
  fc.assert(
    fc.property(anyLines, (text) => {
      const lines = splitLines(text);
      assert.equal(lines.join(''), text);
      assert.equal(lines.length, lineCount(text));
      for (const line of lines) assert.match(line, /^(?:[^\n]*\n|[^\n]+)$/);
    }),
  );
});

test('[LN2] lines keep their own endings, and numbers stand before them', () => {
  const text = 'a\r\nb\n\nd';
  assert.deepEqual(readLines(text, undefined, false), { ok: true, content: text });
  assert.deepEqual(readLines(text, undefined, true), { ok: true, content: '0\ta\r\n1\tb\n2\t\n3\td' });
  assert.equal(read(text, 1, 3, true), '1\tb\n2\t\n');
  assert.equal(read(text, 1, 3), 'b\n\n');
  assert.equal(read(text, 2, 2, true), '');
  assert.deepEqual(readLines('', undefined, true), { ok: true, content: '' });
});

test('[LN2] an end behind the last line means the last line', () => {
  assert.equal(read('a\nb\n', 1, 200), 'b\n');
  assert.equal(read('a\nb', 1, 200, true), '1\tb');
  assert.equal(read('a\nb', 2, 3, true), '');
});

test('[LN3] [LN15] a start behind the end is refused, behind the text too', () => {
  assert.deepEqual(read('a\nb', 3, 4), {
    reason: 'line-out-of-range',
    line: 3,
    line_count: 2,
  });
  assert.deepEqual(read('a\nb', 1, 0), {
    reason: 'invalid-params',
    problems: [{ path: ['range', 'end'], problem: 'is exclusive, so it must be at least start, which is 1' }],
  });
  assert.deepEqual(
    [read('a', -1, 1), read('a', 0.5, 1)].map((refusal) => typeof refusal),
    ['object', 'object'],
  );
});
