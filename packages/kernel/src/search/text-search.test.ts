import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { compileQuery } from './query.ts';
import type { Query, QueryMatcher } from './query.ts';
import { searchText } from './text-search.ts';
import type { TextSearchOptions } from './text-search.ts';
import { linesOf, pattern } from './testing/arbitraries.ts';

function matcherOf(query: Query): QueryMatcher {
  const result = compileQuery(query);
  return result.ok ? result.matcher : assert.fail(JSON.stringify(result.refusal));
}

/** Each match as line, start and end. */
function places(text: string, matcher: QueryMatcher): number[][] {
  const { matches, truncated } = searchText(text, matcher, { context_lines: 0, max_matches: 1_000 });
  assert.equal(truncated, false);
  return matches.map((match) => [match.line, match.match_start, match.match_end]);
}

const search = (text: string, query: string, options?: TextSearchOptions) =>
  searchText(text, matcherOf({ query }), options);
const found = (text: string, query: string) => places(text, matcherOf({ query }));

test('[SE10] lines end at \\n, a \\r before it is not text, any other \\r is', () => {
  assert.deepEqual(found('a\r\nb\rc\r\nd\r', 'c$|a$|d.$|b.c'), [
    [0, 0, 1],
    [1, 0, 3],
    [2, 0, 2],
  ]);
  assert.deepEqual(found('a\r\nb\r\r\n', '\r'), [[1, 1, 2]]);
  assert.deepEqual(found('a\r\n', 'a\r'), []);
  assert.deepEqual(found('', '^'), []);
  assert.deepEqual(found('\n', '^$'), [[0, 0, 0]]);
  assert.deepEqual(found('a\n\nb\n', '^$'), [[1, 0, 0]]);
  assert.deepEqual(found('a\n\nb', '^$|b'), [
    [1, 0, 0],
    [2, 0, 1],
  ]);
});

test('[SE11] anchors are the ends of the line and nothing matches across lines', () => {
  assert.deepEqual(found('ab\nab', '^a|b$'), [
    [0, 0, 1],
    [0, 1, 2],
    [1, 0, 1],
    [1, 1, 2],
  ]);
  for (const query of ['a\nb', 'a\\nb', 'a\\sb', '(?s)a.b', 'a[^x]b', '(?m)a$.'])
    assert.deepEqual(found('a\nb', query), []);
  assert.deepEqual(found('xa\nb', '\\Ab\\z'), [[1, 0, 1]]);
});

test('[SE12] a literal is found where indexOf finds it, line by line', () => {
  fc.assert(
    fc.property(
      linesOf(fc.constantFrom('a', 'b', 'ab', '😀', '.', '\r')),
      fc.string({ unit: fc.constantFrom('a', 'b', '😀', '.', '\r'), minLength: 1, maxLength: 4 }),
      (lines, query) => {
        const expected: number[][] = [];
        for (const [line, content] of lines.entries()) {
          for (let at = content.indexOf(query); at !== -1; at = content.indexOf(query, at + query.length)) {
            expected.push([line, at, at + query.length]);
          }
        }
        for (const ending of ['\n', '\r\n']) {
          assert.deepEqual(
            places(lines.map((line) => line + ending).join(''), matcherOf({ query, literal: true })),
            expected,
          );
        }
      },
    ),
  );
});

test('[SE13] [SE14] a pattern finds in each line what a backtracking search finds', () => {
  fc.assert(
    fc.property(linesOf(fc.constantFrom('a', 'b', 'c', 'ab', '1', ' ', 'é', '😀')), pattern, (lines, source) => {
      // Not with the flag u: V8 then misses a surrogate pair that a negated class takes before `$`.
      const expected = lines.flatMap((content, line) =>
        [...content.matchAll(new RegExp(source, 'gv'))].map(({ index, 0: text }) => [line, index, index + text.length]),
      );
      assert.deepEqual(places(lines.map((line) => `${line}\n`).join(''), matcherOf({ query: source })), expected);
    }),
    { numRuns: 1_000 },
  );
});

test('[SE13] a very long line is searched like any other', () => {
  const line = `${'ab'.repeat(150_000)}😀abc1`;
  const expected = [...line.matchAll(/[^b]c?\d|😀|^ab/gu)].map(({ index, 0: text }) => [0, index, index + text.length]);
  assert.equal(expected.length, 3);
  assert.deepEqual(found(line, '[^b]c?\\d|😀|^ab'), expected);
});

test('[SE14] an empty match moves on by a character', () => {
  assert.deepEqual(found('a😀b', 'x*'), [
    [0, 0, 0],
    [0, 1, 1],
    [0, 3, 3],
    [0, 4, 4],
  ]);
  assert.deepEqual(found('aab', 'a*'), [
    [0, 0, 2],
    [0, 2, 2],
    [0, 3, 3],
  ]);
});

test('[SE15] columns are UTF-16 columns outside surrogate pairs', () => {
  assert.deepEqual(found('😀😀x\n👩‍💻 x', 'x'), [
    [0, 4, 5],
    [1, 6, 7],
  ]);
  assert.deepEqual(found('😀x', '.'), [
    [0, 0, 2],
    [0, 2, 3],
  ]);
  assert.deepEqual(found('a😀', '\\B'), [[0, 3, 3]]);
  assert.deepEqual(found('😀', '[^a]|\\x{DE00}'), [[0, 0, 2]]);
});

test('[SE16] the matches are the same whether or not it is known what the pattern requires', () => {
  const letters = fc.constantFrom('a', 'ab', 'K', 'k', '\u212a', 's', 'ſ', 'ß', 'İ', 'b', '1', '\r');
  fc.assert(
    fc.property(
      linesOf(letters),
      fc.oneof(pattern, fc.constantFrom('ks', 'a.*s|k+1', '(ab|ks)b', 'sk?|1{2}', 'ab[ks]')),
      fc.boolean(),
      (lines, query, ignoreCase) => {
        const matcher = matcherOf({ query, ignoreCase });
        const text = lines.join('\n');
        if (matcher.type === 'pattern')
          assert.deepEqual(places(text, matcher), places(text, { ...matcher, required: [] }));
      },
    ),
    { numRuns: 1_000 },
  );
});

test('[SE20] each match is one result', () => {
  assert.deepEqual(search('one two\nthree\n', 't', { context_lines: 0 }), {
    matches: [
      { line: 0, content: 'one two', match_start: 4, match_end: 5 },
      { line: 1, content: 'three', match_start: 0, match_end: 1 },
    ],
    truncated: false,
    quality: 0,
  });
});

test('[SE21] content is the line with its context lines, without line endings', () => {
  const text = 'l0\r\nl1\n\nl3\r\nl4\r';
  const content = (query: string, context_lines?: number) => search(text, query, { context_lines }).matches[0]?.content;
  assert.equal(content('l0'), 'l0\nl1\n');
  assert.equal(content('l3'), 'l1\n\nl3\nl4\r');
  assert.equal(content('l4', 1), 'l3\nl4\r');
  assert.equal(content('l1', 9), 'l0\nl1\n\nl3\nl4\r');
  assert.equal(content('^$', 0), '');
});

test('[SE21] content is what slicing the lines gives', () => {
  fc.assert(
    fc.property(
      linesOf(fc.constantFrom('a', 'b', '\r')),
      fc.nat(3),
      fc.constantFrom('', '\n', '\r\n'),
      (lines, context, last) => {
        const text = lines.join('\n') + last;
        const shown = text.split(/\r?\n/);
        if (shown.at(-1) === '') shown.pop();
        for (const match of search(text, 'a', { context_lines: context, max_matches: 1_000 }).matches) {
          assert.equal(
            match.content,
            shown.slice(Math.max(0, match.line - context), match.line + context + 1).join('\n'),
          );
        }
      },
    ),
  );
});

test('[SE22] of a very long line the part around the match is shown', () => {
  const long = `${'😀'.repeat(3_000)}needle${'😀'.repeat(3_000)}`;
  const [match] = search(`${long}\n${long.slice(0, 6_000)}`, 'needle').matches;
  assert.ok(match);
  assert.equal(long.slice(match.match_start, match.match_end), 'needle');
  const [line = '', context = ''] = match.content.split('\n');
  assert.match(line, /^…😀+needle😀+…$/u);
  assert.match(context, /^😀+…$/u);
  assert.ok(line.length <= 2_004 && context.length <= 2_004);
  assert.match(search(long, '^😀').matches[0]?.content ?? '', /^😀+…$/u);
  assert.match(search(`${long}x`, 'x$').matches[0]?.content ?? '', /^…😀+x$/u);
  assert.ok((search('a'.repeat(5_000), 'a+').matches[0]?.content.length ?? 0) <= 2_002);
  assert.equal(search('a'.repeat(2_000), 'a+').matches[0]?.content, 'a'.repeat(2_000));
});

test('[SE23] at most as many matches as asked for, and the result says whether there are more', () => {
  assert.equal(search('x\n'.repeat(20), 'x').matches.length, 20);
  assert.equal(search('x\n'.repeat(20), 'x').truncated, false);
  assert.equal(search('x\n'.repeat(21), 'x').matches.length, 20);
  assert.equal(search('x\n'.repeat(21), 'x').truncated, true);
  assert.deepEqual(search('xxx', 'x', { max_matches: 1 }).truncated, true);
});

test('[SE24] one search answers no more than its limits, whatever is asked for', () => {
  const many = search('x\n'.repeat(10_001), 'x', { max_matches: 1e9, context_lines: 0 });
  assert.equal(many.matches.length, 10_000);
  assert.equal(many.truncated, true);
  const wide = search(`${'x'.repeat(1_999)}\n`.repeat(10), 'x', { max_matches: 1e9 });
  assert.equal(wide.truncated, true);
  assert.ok(wide.matches.reduce((sum, match) => sum + match.content.length, 0) <= 4_000_000);
});
