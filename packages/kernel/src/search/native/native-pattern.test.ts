import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { lineMatches } from '../line-matches.ts';
import { nativeMatches } from './native-matches.ts';
import { nativePattern } from './native-pattern.ts';
import type { NativeExpression } from './native-pattern.ts';
import { compileQuery } from '../query.ts';
import type { Query } from '../query.ts';
import { linesOf, pattern } from '../testing/arbitraries.ts';
import { WorkMeter } from '../work-meter.ts';

const piece = fc.constantFrom('a', 'b', 'c', 'ab', '1', '_', ' ', '\t', '\r', 'é', 'A', 'B', 'K');
const widePiece = fc.oneof(
  piece,
  fc.constantFrom('😀', 'ж', 'Ж', 'ſ', '\u212a', '\u2028', '中', 'İ', 'ı', 'ß', 'ẞ', 'ς', 'Σ', 'σ'),
);
const texts = (of: fc.Arbitrary<string>) =>
  fc
    .tuple(linesOf(of), fc.constantFrom('\n', '\r\n'), fc.boolean())
    .map(([lines, ending, isEnded]) => lines.join(ending) + (isEnded ? ending : ''));

/** Compares both engines; returns what the native one looks for, if it takes the query. */
function compare(query: Query, text: string): NativeExpression | undefined {
  const compiled = compileQuery(query);
  if (!compiled.ok) return undefined;
  const native = nativePattern(compiled.matcher);
  const isWide = /[\u0100-\uffff]/.test(text);
  const expected = [...lineMatches(text, compiled.matcher, new WorkMeter())];
  // An expression that is good for all texts is good for narrow ones too.
  const expressions = isWide ? [native?.wide] : [native?.wide, native?.narrow];
  for (const expression of expressions) {
    if (expression === undefined) continue;
    assert.deepEqual([...nativeMatches(text, expression)], expected, `${expression.pattern} ${expression.probe.whole}`);
  }
  return expressions.at(-1);
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
    'Ж',
    'σ',
    'ß',
    'i',
    '[а-я]',
    '[^Σß]',
    '[k-s]',
    '\\bs',
  );
  const queries = fc.oneof(
    pattern,
    fc.array(fc.oneof(pattern, extra), { maxLength: 3 }).map((parts) => parts.join('')),
    // With a text in the middle, which is looked for first.
    fc
      .tuple(pattern, fc.constantFrom('ab', 'bca', '(ab)', 'a(?:b(c))', 'ab|c', '(a|b)ab'), pattern)
      .map((parts) => parts.join('')),
  );
  let [taken, probed] = [0, 0];
  fc.assert(
    fc.property(queries, fc.boolean(), fc.oneof(texts(piece), texts(widePiece)), (query, ignoreCase, text) => {
      const expression = compare({ query, ignoreCase }, text);
      if (expression !== undefined) taken += 1;
      if (expression !== undefined && !expression.probe.isPattern) probed += 1;
    }),
    { numRuns: 6_000 },
  );
  // Else the property says nothing.
  assert.ok(taken > 2_000, `only ${taken} were taken`);
  assert.ok(probed > 500, `of ${taken} only ${probed} look for a text first`);
});

test('[SE50] texts are found as they stand, and with the case ignored', () => {
  fc.assert(
    fc.property(widePiece, widePiece, fc.boolean(), texts(widePiece), (a, b, ignoreCase, text) => {
      compare({ query: a + b, literal: true, ignoreCase }, text);
    }),
  );
  assert.ok(compare({ query: '.*(', literal: true }, 'a.*(b\n.*('));
});

test('[SE51] a text from the middle of a pattern is looked for first, if the pattern does not begin with one', () => {
  const probes: [query: string, probe: string | undefined][] = [
    ['[a-z]{7,}ing', 'ing(?<=[a-z]{7,}ing)'],
    ['(x(y)z)?[0-9](a(bc))d+', 'abc(?<=(?:x(?:y)z)?[0-9]abc)d+'],
    ['[0-9]ab|[a-c]+cd', 'ab(?<=[0-9]ab)|cd(?<=[a-c]+cd)'],
    ['q[0-9]+quokka', 'quokka(?<=q[0-9]+quokka)'],
    // Patterns without such a text, or with none longer than their beginning.
    ['(returns|answers) the', undefined],
    ['[0-9]{4}', undefined],
    ['quokka.*frob', undefined],
    ['[0-9](ab)*', undefined],
  ];
  for (const [query, probe] of probes) {
    const compiled = compileQuery({ query });
    const { narrow } = (compiled.ok && nativePattern(compiled.matcher)) || {};
    const readable = narrow?.probe.whole.source.replaceAll(/\\u([0-9a-f]{4})/g, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    );
    assert.equal(
      narrow?.probe.isPattern === true ? undefined : readable?.replaceAll(/(.)-\1(?=\])/g, '$1'),
      probe,
      query,
    );
  }
});

test('[SE51] what is looked for first may be everywhere, and the matches are the same', () => {
  const many = 'aq1 quiet aq\n'.repeat(500);
  const lines = `${many}q12 quokka\n${many}a-quokka\n`;
  for (const query of ['q[0-9]{2}', '[a-z]-quokka', 'quokka', '(quok|quie)t?', 'qu[a-z]+t aq$', 'nq|q1 q|kka']) {
    assert.ok(compare({ query }, lines) !== undefined, query);
  }
});

test('[SE52] a pattern is bounded only if a few steps at each place of a text are enough', () => {
  const isBounded = (query: string): boolean => {
    const compiled = compileQuery({ query });
    return compiled.ok && nativePattern(compiled.matcher)?.isBounded === true;
  };
  for (const query of ['quokka', '[0-9]{4}', '(returns|answers) the', 'q.{0,3}[0-9]{2}', '\\bab?c$']) {
    assert.ok(isBounded(query), query);
  }
  const others = [
    'a+',
    'a*b',
    'a{3,}',
    '(a|aa)+!',
    '.{0,9}.{0,9}x',
    '(a?){9}b{2}',
    '(a|b|ab){4}c',
    '.{40}x',
    '(a{0,30}){30}',
    `e${'(|)'.repeat(24)}$`,
    `e${'(\\b|\\b)'.repeat(9)}$`,
  ];
  for (const query of others) assert.ok(!isBounded(query), query);
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
