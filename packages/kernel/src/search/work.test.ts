import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MeteredText } from './metered-text.ts';
import { compileQuery } from './query.ts';
import type { Query, QueryMatcher } from './query.ts';
import { searchAllowance, searchText } from './text-search.ts';
import { WorkMeter } from './work-meter.ts';

function matcherOf(query: Query): QueryMatcher {
  const result = compileQuery(query);
  return result.ok ? result.matcher : assert.fail(JSON.stringify(result.refusal));
}

/** Searches with so many steps; counts the spent ones independently of the search's own report. */
function searchWith(steps: number, text: string, query: Query) {
  const allowance = searchAllowance(steps);
  const result = searchText(text, matcherOf(query), { max_matches: 10_000, context_lines: 0 }, allowance);
  return { ...result, spent: steps - allowance.meter.left };
}

/** Every state of an automaton that remembers the last letters is met in it. */
function randomLetters(length: number): string {
  let state = 1;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) | 0;
    return (state >>> 16) & 1 ? 'a' : 'b';
  }).join('');
}

const letters = 'a'.repeat(300_000);
const mixed = randomLetters(300_000);
const texts = [
  letters,
  `${letters}b`,
  mixed,
  mixed.replaceAll(/.{500}/g, '$&\n'),
  letters.replaceAll(/.{80}/g, '$&\n'),
];

/** Patterns without a match, so that only the end of the steps ends the search of a long line. */
const endless = [
  '(.*)(.*)(.*)[xy]',
  '[ab]*a[ab]{20}[cd]',
  '(?:a?){400}[cd]',
  '[a-z]{1,500}[0-9]',
  '\\pL*a[\\pL\\pN]{30}\\pN$',
];

const hostile = [
  ...endless,
  '(a*)*b',
  '(a|aa)+$',
  '[ab]*a[ab]{1000}[cd]',
  '(([ab]?){5}[ab]?){60}[cd]',
  'a([ab]*[xy])?',
  '(?i)[\\pL\\pN]{100}$',
];

test('[SE40] hostile patterns on hostile texts do no more than their steps, and say when that was not enough', () => {
  const steps = 300_000;
  for (const query of hostile) {
    const matcher = matcherOf({ query });
    const size = matcher.type === 'pattern' ? matcher.size : 0;
    for (const [index, text] of texts.entries()) {
      const { truncated, spent } = searchWith(steps, text, { query });
      // The last thing asked for is counted though it was not done.
      assert.ok(spent <= steps + 3 * size + 65_536, `${query} in text ${index} took ${spent}`);
      if (spent > steps) assert.equal(truncated, true, `${query} in text ${index}`);
    }
  }
});

test('[SE40] a long line that takes more steps than there are is left, whatever the engine would do with it', () => {
  for (const query of endless) {
    for (const text of texts.slice(0, 3)) assert.equal(searchWith(300_000, text, { query }).truncated, true, query);
  }
});

test('[SE40] a pattern with too many states for its automaton is paid for in short lines too', () => {
  const query = '[ab]*a[ab]{100}[cd]';
  assert.equal(searchWith(3_000_000, mixed.replaceAll(/.{500}/g, '$&\n'), { query }).truncated, true);
});

test('[SE40] the engine is left in the middle of a line', () => {
  const meter = new WorkMeter(10_000);
  const text = new MeteredText(letters, meter, 10);
  text.searchFrom(0);
  let read = 0;
  assert.throws(
    () => {
      for (; read < text.length; read += 1) text.charCodeAt(read);
    },
    { code: 'out-of-work' },
  );
  assert.ok(read <= 1_000);
  assert.equal(meter.exhausted, true);
  assert.equal(searchWith(100_000, letters, { query: '(a|aa)+$' }).truncated, true);
});

test('[SE40] what a search found before it ended is what a longer search finds first', () => {
  const text = mixed.replaceAll(/.{90}/g, '$&\n');
  const query = { query: 'a[ab]*?b{4,}|bab(a+)$' };
  const whole = searchWith(8_000_000, text, query);
  assert.equal(whole.truncated, false);
  for (const steps of [100, 5_000, 60_000, 400_000]) {
    const part = searchWith(steps, text, query);
    assert.equal(part.truncated, true);
    assert.deepEqual(part.matches, whole.matches.slice(0, part.matches.length));
  }
  assert.ok(searchWith(400_000, text, query).matches.length > 0);
});

test('[SE40] many matches in one long line are paid for each', () => {
  const { matches, truncated } = searchWith(3_000_000, letters, { query: 'a(.*x)?' });
  assert.equal(truncated, true);
  assert.ok(matches.length <= 2);
  assert.equal(searchWith(3_000_000, letters, { query: 'a' }).truncated, true);
});

test('[SE41] the same search with a fresh query ends at the same place', () => {
  for (const query of hostile) {
    const [first, second] = [searchWith(200_000, mixed, { query }), searchWith(200_000, mixed, { query })];
    assert.deepEqual(first, second);
  }
});

test('[SE42] a text without what the pattern requires is only scanned', () => {
  for (const query of [
    { query: '(.*)(.*)(.*)x' },
    { query: '(a*)*Z+[ab]', ignoreCase: true },
    { query: 'x(a|b)*|y(b|a)*' },
  ]) {
    const { matches, truncated, spent } = searchWith(letters.length, letters, query);
    assert.deepEqual({ matches, truncated }, { matches: [], truncated: false });
    assert.ok(spent < letters.length);
  }
});

test('[SE42] in a text that has it, only the lines that have it are run through the pattern', () => {
  const text = `${'some words of a line\n'.repeat(1_000)}here: 42\n${'some words of a line\n'.repeat(1_000)}`;
  const { matches, spent } = searchWith(text.length, text, { query: '\\w+: \\d+' });
  assert.deepEqual(matches, [{ line: 1_000, content: 'here: 42', match_start: 0, match_end: 8 }]);
  assert.ok(spent < text.length / 2);
});

test('[SE43] a long periodic literal in a periodic text is cut short', () => {
  const query = { query: `${'a'.repeat(500)}b${'a'.repeat(499)}`, literal: true };
  assert.equal(searchWith(1_000_000, letters, query).truncated, true);
  assert.deepEqual(searchWith(1_000_000, mixed, query).matches, []);
  assert.equal(searchWith(1_000_000, mixed, query).truncated, false);
  const [match] = searchWith(1_000_000, `${mixed}${query.query}`, query).matches;
  assert.equal(match?.match_start, mixed.length);
});
