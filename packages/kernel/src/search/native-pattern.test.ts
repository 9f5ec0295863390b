import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { lineMatches } from './line-matches.ts';
import { nativeMatches } from './native-matches.ts';
import { nativePattern } from './native-pattern.ts';
import { compileQuery } from './query.ts';
import type { Query } from './query.ts';
import { linesOf, pattern } from './testing/arbitraries.ts';
import { WorkMeter } from './work-meter.ts';

const piece = fc.constantFrom('a', 'b', 'c', 'ab', '1', '_', ' ', '\t', '\r', 'é', 'A', 'B', 'K');
const widePiece = fc.oneof(piece, fc.constantFrom('😀', 'ж', 'ſ', '\u212a', '\u2028', '中'));
const texts = (of: fc.Arbitrary<string>) =>
  fc
    .tuple(linesOf(of), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([lines, ending, isEnded]) => lines.join(ending) + (isEnded ? ending : ''));

/** Holds both engines against each other; the answer is whether the native one takes the query. */
function compare(query: Query, text: string): boolean {
  const compiled = compileQuery(query);
  if (!compiled.ok) return false;
  const native = nativePattern(compiled.matcher);
  const isWide = /[\u0100-\uffff]/.test(text);
  const expression = isWide ? native?.wide : native?.narrow;
  if (expression === undefined) return false;
  const expected = [...lineMatches(text, compiled.matcher, new WorkMeter())];
  assert.deepEqual([...nativeMatches(text, expression)], expected, String(expression));
  return true;
}

test('[SE50] JavaScript’s engine finds exactly what re2js finds, wherever a query is given to it', () => {
  const extra = fc.constantFrom(
    '\\s',
    '\\S',
    '[\\s,]b',
    '[^\\d]',
    'a$',
    '^b',
    '\\x41',
    '\\.',
    '[]a]',
    '[a-]',
    'k',
    's',
  );
  const queries = fc.oneof(
    pattern,
    fc.array(fc.oneof(pattern, extra), { maxLength: 3 }).map((parts) => parts.join('')),
  );
  let taken = 0;
  fc.assert(
    fc.property(queries, fc.boolean(), fc.oneof(texts(piece), texts(widePiece)), (query, ignoreCase, text) => {
      if (compare({ query, ignoreCase }, text)) taken += 1;
    }),
    { numRuns: 3_000 },
  );
  // Else the property says nothing.
  assert.ok(taken > 1_000, `only ${taken} were taken`);
});

test('[SE50] texts are found as they stand, and with the case ignored', () => {
  fc.assert(
    fc.property(widePiece, widePiece, fc.boolean(), texts(widePiece), (a, b, ignoreCase, text) => {
      compare({ query: a + b, literal: true, ignoreCase }, text);
    }),
  );
  assert.ok(compare({ query: '.*(', literal: true }, 'a.*(b\n.*('));
});

test('[SE50] what means another thing to JavaScript is not given to it', () => {
  const different = [
    '(?:a*)*',
    '(|a)+',
    '\\pL',
    '\\Aa',
    'a\\z',
    '(?s).',
    '(?m)^a',
    '[[:alpha:]]',
    'a\\nb',
    '\\Qa.b\\E',
    '(?U)a+',
  ];
  for (const query of different) {
    const compiled = compileQuery({ query });
    assert.ok(compiled.ok, query);
    assert.equal(nativePattern(compiled.matcher), undefined, query);
  }
});
