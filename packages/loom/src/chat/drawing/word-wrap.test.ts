import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { displayWidth } from './display-width.ts';
import { WordWrap } from './word-wrap.ts';

function wrap(text: string, width: number, pieces: readonly number[] = []): string {
  const wrapped = new WordWrap(() => width);
  const places = [0, ...pieces.map((piece) => piece % (text.length + 1)), text.length].sort((a, b) => a - b);
  const shown = places.slice(1).map((end, index) => wrapped.take(text.slice(places[index], end)));
  return shown.join('') + wrapped.flush();
}

test('[CH34] lines are broken between words, and items of lists stay below their first word', () => {
  assert.equal(wrap('one two three four', 9), 'one two\nthree\nfour');
  assert.equal(
    wrap('- one two three\n  1. four five six\n> seven eight', 11),
    ['- one two', '  three', '  1. four', '     five', '     six', '> seven', '> eight'].join('\n'),
  );
});

test('[CH34] code, tables and links stay whole', () => {
  const code = '```ts\nconst a = "a long line of code";\n```\nand some words after it';
  assert.equal(wrap(code, 20), '```ts\nconst a = "a long line of code";\n```\nand some words after\nit');
  for (const text of ['| a table | with | columns |', '    indented code that is long'])
    assert.equal(wrap(text, 12), text);
  assert.equal(wrap('see https://example.org/a/long/path now', 10), 'see\nhttps://example.org/a/long/path\nnow');
});

test('[CH34] wide characters take two columns, and may be parted from each other', () => {
  assert.equal(displayWidth('a漢字é🧵'), 8);
  assert.equal(wrap('漢字漢字漢字', 8), '漢字漢字\n漢字');
});

test('[CH34] however the text is cut into pieces, only spaces become line breaks, and lines fit if their words do', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', '漢', 'é', '.'), minLength: 1, maxLength: 6 });
  const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(' '));
  fc.assert(
    fc.property(text, fc.array(fc.nat(), { maxLength: 6 }), fc.integer({ min: 14, max: 40 }), (said, pieces, width) => {
      const shown = wrap(said, width, pieces);
      assert.equal(shown.replaceAll(/\s/g, ''), said.replaceAll(' ', ''));
      assert.equal(shown, wrap(said, width));
      for (const line of shown.split('\n')) assert.ok(displayWidth(line) <= width, JSON.stringify(line));
    }),
  );
});
