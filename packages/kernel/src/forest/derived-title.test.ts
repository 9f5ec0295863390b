import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { deriveTitle } from './derived-title.ts';
import { noticeOf } from './root-head.ts';

test('[TU47] a short message is its own title, in one line and without Markdown', () => {
  for (const [opening, title] of [
    ['hello', 'hello'],
    ['', ''],
    ['# A *plan* for `x_y_z`\n\n- see [the page](https://example.org/a)', 'A plan for x_y_z see the page'],
    ['```ts\nconst a = 2 * 3 * 4;\n```', 'const a = 2 * 3 * 4;'],
    ['> **Quoted** words\n---\n1. first', 'Quoted words first'],
    ['say __this__ and ~~that~~, not snake_case_names', 'say this and that, not snake_case_names'],
  ] as const) {
    assert.equal(deriveTitle(opening), title);
  }
});

test('[TU47] a long message is cut behind a line, a sentence or a word', () => {
  const rest = 'and more and more and more and more and more and more and more';
  for (const [opening, title] of [
    [`A plan for the garden\n\n${rest}`, 'A plan for the garden'],
    [`Please mend the gate. It squeaks. Then ${rest}`, 'Please mend the gate. It squeaks.'],
    [`Hi. Then ${rest}`, 'Hi. Then and more and more and more and more and more and…'],
    [`Version 2.5 of everything ${rest}`, 'Version 2.5 of everything and more and more and more and…'],
    ['x'.repeat(80), `${'x'.repeat(59)}…`],
    ['😀'.repeat(80), `${'😀'.repeat(29)}…`],
  ] as const) {
    assert.equal(deriveTitle(opening), title);
  }
});

test('[TU47] whatever a message says, its title is one line of at most 60 characters', () => {
  const piece = fc.constantFrom(
    'one',
    '**two**',
    '#',
    '`',
    '[a](b)',
    '\n',
    ' ',
    '\t',
    '. ',
    '_x_',
    '😀',
    '\ud83d',
    '…',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 9 })), { maxLength: 40 }), (pieces) => {
      const opening = pieces.join('');
      const title = deriveTitle(opening);
      assert.ok(title.length <= 60 && !/\s{2}|\n/u.test(title), JSON.stringify(title));
      assert.ok(title.isWellFormed() || !opening.isWellFormed());
    }),
  );
});

test('[IM44] a marked notice gives no title whatever it says, and one without the mark is known by its words', () => {
  const said = {
    role: 'user' as const,
    blocks: [{ type: 'text' as const, text: 'The build has ended.\nIt took an hour.' }],
  };
  assert.equal(noticeOf(said), undefined);
  assert.equal(noticeOf({ ...said, notice: { kind: 'task' } }), 'The build has ended.');
  assert.equal(noticeOf({ ...said, blocks: [], notice: { kind: 'task' } }), 'task');
});
