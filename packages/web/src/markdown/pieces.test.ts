import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { MarkdownPieces } from './pieces.ts';
import type { Piece } from './pieces.ts';

const line = fc.constantFrom(
  'A paragraph with *emphasis* and `code`',
  '# Heading',
  '===',
  '- item',
  '  1. nested',
  '> quoted',
  '```ts',
  '```',
  '~~~',
  '| a | b |',
  '| --- | --- |',
  '',
  '    indented',
  '[name]: https://example.org',
  'see [name] and [other][name]',
  '<b>markup</b>',
  '***',
  '[1]: x',
  '\ttab',
  'wörld 🙂',
  '$$',
  'the $a^2$ and $5 or \\(x\\)',
  '\\[ x',
  '\\]',
  'said[^1] and[^b]',
  '[^1]: a note',
  '  that goes on',
);
const text = fc.array(line, { maxLength: 24 }).map((lines) => lines.join('\n'));
/** Returns the tokens with everything inside of them, such as the targets of links. */
const contents = (pieces: readonly Piece[]): unknown[] => pieces.map(({ token, isClosed }) => ({ token, isClosed }));

test('[WB4] a text that comes in pieces is read as the whole text is, wherever it is cut', () => {
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 12 }), (whole, cuts) => {
      const growing = new MarkdownPieces();
      for (const cut of [...cuts.map((at) => at % (whole.length + 1)).sort((a, b) => a - b), whole.length]) {
        growing.of(whole.slice(0, cut));
      }
      assert.deepEqual(contents(growing.of(whole)), contents(new MarkdownPieces().of(whole)));
    }),
    {
      numRuns: 400,
      // The same source of a paragraph, which the text behind it gives another content.
      examples: [['\nSome `code`\n\ttab\n\ttab\n| --- | --- |\n| a | b |\n# Heading', [23]]],
    },
  );
});

test('[WB4] what is before the last piece stays the same object while the text grows', () => {
  const pieces = new MarkdownPieces();
  const [first, second] = pieces.of('One.\n\nTwo');
  const [kept, grown] = pieces.of('One.\n\nTwo and more');
  assert.equal(kept, first);
  assert.notEqual(grown, second);
  assert.deepEqual(
    pieces.of('Another text').map(({ token }) => token.raw),
    ['Another text'],
  );
});

test('[WB4] groups of pieces that did not change stay the same objects, and hold all pieces in order', () => {
  const pieces = new MarkdownPieces();
  const paragraphs = Array.from({ length: 40 }, (_, index) => `Paragraph ${index}.`).join('\n\n');
  const before = pieces.groupsOf(paragraphs);
  const after = pieces.groupsOf(`${paragraphs} It goes on.\n\nOne more.`);
  assert.ok(before.length > 2);
  assert.deepEqual(after.slice(0, before.length - 1), before.slice(0, -1));
  for (const [index, group] of before.slice(0, -1).entries()) assert.equal(after[index], group);
  assert.notEqual(after[before.length - 1], before.at(-1));
  assert.deepEqual(
    after.flat().map(({ key }) => key),
    Array.from({ length: 41 }, (_, index) => index),
  );
});

test('[WB5] a fence is closed when its end has come', () => {
  const isClosed = (source: string): boolean => new MarkdownPieces().of(source)[0]?.isClosed ?? false;
  assert.equal(isClosed('```ts\nlet a'), false);
  assert.equal(isClosed('```ts\nlet a\n```'), true);
  assert.equal(isClosed('~~~\na\n~~~\n'), true);
  assert.equal(isClosed('````\n```\n'), false);
  assert.equal(isClosed('````\n```\n````'), true);
});
