import assert from 'node:assert/strict';
import { test } from 'node:test';
import { modelWords } from '../operations/model-words.ts';
import { foldCase } from './case-folding.ts';
import { estimateProgramSize } from './program-size.ts';
import { compileQuery, maxQueryLength } from './query.ts';
import type { Query } from './query.ts';
import { searchText } from './text-search.ts';

function compiled(query: Query) {
  const result = compileQuery(query);
  if (!result.ok) assert.fail(JSON.stringify(result.refusal));
  return result.matcher;
}

function refused(query: Query) {
  const result = compileQuery(query);
  if (result.ok) assert.fail('the query was accepted');
  return result.refusal;
}

function required(query: Query) {
  const matcher = compiled(query);
  return matcher.type === 'pattern' ? matcher.required : assert.fail('not a pattern');
}

const found = (text: string, query: Query) =>
  searchText(text, compiled(query)).matches.map((match) => [match.match_start, match.match_end]);

test('[SE1] a query is a pattern, a literal one is a text, and so is one without metacharacters', () => {
  assert.deepEqual(found('a.c abc', { query: 'a.c' }), [
    [0, 3],
    [4, 7],
  ]);
  assert.deepEqual(found('abc a.c', { query: 'a.c', literal: true }), [[4, 7]]);
  assert.deepEqual(compiled({ query: 'plain words: 1-2, "é" /x/' }).type, 'literal');
  for (const query of [
    '\\Aa',
    'a$',
    '[[:alpha:]]',
    '(?P<name>a)',
    '\\pL',
    'a*?',
    '\\Qa\\E',
    '\\x{61}',
    'a{1}',
    '(?s:.)',
  ]) {
    assert.equal(compiled({ query }).type, 'pattern');
    assert.deepEqual(found('a', { query })[0]?.[0], 0, query);
  }
});

test('[SE2] an empty, overlong or malformed query is refused', () => {
  for (const query of ['', 'a'.repeat(maxQueryLength + 1), '\ud83d', 'a\ude00b']) {
    assert.equal(refused({ query }).reason, 'invalid-params');
    assert.equal(refused({ query, literal: true, ignoreCase: true }).reason, 'invalid-params');
  }
  assert.equal(compiled({ query: 'a'.repeat(maxQueryLength) }).type, 'literal');
});

test('[SE3] what RE2 does not know is refused with the reason', () => {
  for (const query of [
    '(?=a)',
    '(?<!a)b',
    '(a)\\1',
    '(',
    'a)',
    '[',
    '*',
    'a**',
    '\\',
    'a{1001}',
    '[b-a]',
    '\\p{Nope}',
  ]) {
    const refusal = refused({ query });
    assert.equal(refusal.reason, 'invalid-regex', query);
    assert.match(modelWords(refusal), /RE2/);
  }
});

test('[SE4] a pattern that grows beyond bounds is refused', () => {
  for (const query of [
    '(a{1000}){1000}',
    'a{1000}'.repeat(142),
    '((a?){30}){33}'.repeat(60),
    '(?i)\\pL{1000}\\pL{1000}',
    `(?:${'a?'.repeat(490)}){1000}`,
    `(?:\\Q(\\E${'a?'.repeat(480)}){1000}`,
    `(?:${'a?'.repeat(480)}\\Q)\\Ea){1000}`,
  ]) {
    assert.deepEqual(refused({ query }).reason, 'regex-too-large', query.slice(0, 30));
  }
  assert.match(modelWords(refused({ query: 'a{1000}b{1000}' })), /smaller counts/);
  for (const query of ['a{1000}', '[{1000}]{10}', '\\{1000}', '(ab?){100}', '(?i)\\w{200}']) compiled({ query });
});

test('[SE4] the size of a pattern is estimated before it is compiled, never far too low', () => {
  for (const query of ['abc', '(a|b)*c', '(a{10}){20}', '((a?){5}[x-z]?){6}', 'x{3,}', '\\x{61}{7}', '[^]{9}a]{11}']) {
    const matcher = compiled({ query: `${query}|q` });
    const size = matcher.type === 'pattern' ? matcher.size : 0;
    const estimate = estimateProgramSize(query);
    assert.ok(estimate >= size / 3 && estimate <= size * 3, `${query}: estimated ${estimate}, compiled ${size}`);
  }
  assert.ok(estimateProgramSize(`(?:${'a?'.repeat(490)}){1000}`) > 900_000);
});

test('[SE5] case is ignored as Unicode folds it, in literals too', () => {
  assert.deepEqual(found('xΣς KKk', { query: 'σ', literal: true, ignoreCase: true }), [
    [1, 2],
    [2, 3],
  ]);
  assert.deepEqual(found('KelvinKELVIN kelvin', { query: 'kelvin', ignoreCase: true }).length, 3);
  assert.deepEqual(found('ſtop A.C abc', { query: 'STOP|a\\.c', ignoreCase: true }).length, 2);
  assert.deepEqual(found('A.C abc', { query: 'a.c', literal: true, ignoreCase: true }), [[0, 3]]);
  assert.deepEqual(found('TODO todo', { query: '(?i)Todo' }).length, 2);
  assert.deepEqual(found('TODO todo', { query: '(?i)' }).length > 0, true);
});

test('[SE16] what every match contains is known from the pattern, and from its twin where case is ignored', () => {
  assert.deepEqual(required({ query: 'foo.*quux' }), [['quux'], ['foo']]);
  assert.deepEqual(required({ query: '(error|warning): \\d+' }), [['error', 'warning'], [': ']]);
  assert.deepEqual(required({ query: 'a?b*[cd]' }), []);
  assert.deepEqual(required({ query: '(foo|\\d)' }), []);
  // Too many alternatives to look for each: nothing is known of that branch, so nothing of the whole.
  const many = `(${'abcdefghijklmnopq'
    .split('')
    .map((letter) => letter.repeat(2))
    .join('|')})`;
  assert.deepEqual(required({ query: `${many}\\d${many}|zz` }), []);
  assert.deepEqual(required({ query: 'straße.*\\d', ignoreCase: true }), [[foldCase('STRAßE')]]);
  assert.deepEqual(required({ query: 'É|FOO', ignoreCase: true }), [[foldCase('é'), 'foo']]);
});
