import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compileQuery, searchText } from '@loom/kernel/search';
import type { TextPlace, TextSearchResult } from '@loom/kernel/search';
import * as fc from 'fast-check';
import { JoinedTexts } from './joined-texts.ts';
import type { ScanBudget } from './search-message.ts';
import { TextScan } from './text-scan.ts';
import type { ScannedTexts, ScanSurroundings } from './text-scan.ts';

const plenty: ScanBudget = { isNative: true, milliseconds: 60_000, steps: 8_000_000 };
const calm: ScanSurroundings = { isCancelled: () => false, isLate: () => false, patience: 60_000 };

function join(blocks: readonly string[]): JoinedTexts {
  let size = 0;
  const ends = Int32Array.from(blocks, (block) => (size += block.length));
  const whole = blocks.join('');
  const place: TextPlace = /[\u0100-\uffff]/.test(whole) ? 'wide' : 'narrow';
  return new JoinedTexts(whole, ends, place);
}

function makeScan(query: string, budget: Partial<ScanBudget> = {}, around: Partial<ScanSurroundings> = {}): TextScan {
  const compiled = compileQuery({ query });
  assert.ok(compiled.ok);
  return new TextScan(compiled.matcher, { options: {} }, { ...plenty, ...budget }, { ...calm, ...around });
}

/** What a scan finds in texts, and which of them it searched to the end. */
function search(scan: TextScan, texts: readonly (readonly string[])[], asked?: ScannedTexts['asked']) {
  const found: [text: number, block: number, result: TextSearchResult][] = [];
  const finished: number[] = [];
  scan.search(
    texts.map((blocks, text) => ({
      texts: join(blocks),
      asked: asked ?? [{ from: 0, to: blocks.length }],
      found: (block, result) => found.push([text, block, result]),
      finished: () => finished.push(text),
    })),
  );
  return { found: found.sort(([a, b], [c, d]) => a - c || b - d), finished: finished.sort((a, b) => a - b) };
}

/** What a search of each block on its own finds. */
function expected(query: string, texts: readonly (readonly string[])[]): [number, number, TextSearchResult][] {
  const compiled = compileQuery({ query });
  assert.ok(compiled.ok);
  const { matcher } = compiled;
  return texts.flatMap((blocks, text) =>
    blocks.flatMap((content, block): [number, number, TextSearchResult][] => {
      const result = searchText(content, matcher);
      return result.matches.length === 0 ? [] : [[text, block, result]];
    }),
  );
}

const queries = [
  'alpha',
  'al|ga',
  '[a-z]+pha',
  '^beta',
  'a$',
  '^$',
  'x*',
  '\\bga',
  'y.*a',
  '\\pL{5}',
  '(?i)ALPHA',
  '(l|q)a',
];
const piece = fc.constantFrom('alpha', 'beta', 'gamma', 'y', ' ', '\n', '\r\n', '\r', '', 'é', 'жук', '😀');
const block = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));

test('[SE60] blocks that are looked through together are found as if each were searched alone', () => {
  const texts = fc.array(fc.array(block, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 3 });
  fc.assert(
    fc.property(fc.constantFrom(...queries), texts, (query, given) => {
      assert.deepEqual(search(makeScan(query), given).found, expected(query, given));
    }),
    { numRuns: 1_000 },
  );
});

test('[SE60] blocks that are not asked for are not found, whatever stands beside them', () => {
  const blocks = ['alpha', 'alpha', 'beta', 'alpha\n', 'alpha'];
  const asked = [
    { from: 1, to: 2 },
    { from: 3, to: 4 },
  ];
  const { found } = search(makeScan('a$'), [blocks], asked);
  assert.deepEqual(
    found.map(([, index]) => index),
    [1, 3],
  );
});

/** Ends the work before the text with this number, when all the time that it was given is used, as if it hung in there. */
function hangBefore(
  text: number,
): Pick<ScanSurroundings, 'isCancelled' | 'limit' | 'processorTime'> & { calls: number[] } {
  const ended = new Error('ended');
  const calls: number[] = [];
  let [seen, isInside, used] = [0, false, 0];
  return {
    calls,
    processorTime: () => used,
    isCancelled: () => {
      if (isInside && seen === text) throw ended;
      if (isInside) seen += 1;
      return false;
    },
    limit: (milliseconds, work) => {
      calls.push(milliseconds);
      isInside = true;
      try {
        work();
        return true;
      } catch (error) {
        assert.equal(error, ended);
        used += milliseconds;
        return false;
      } finally {
        isInside = false;
      }
    },
  };
}

const texts = [['alpha', 'beta'], ['gamma alpha'], ['alpha alpha', '']];

test('[SE62] where JavaScript’s engine hangs, re2js finds the rest, from what is left of the same budget', () => {
  for (const hanging of [0, 1, 2]) {
    const around = hangBefore(hanging);
    const scan = makeScan('[a-z]+pha', { milliseconds: 350 }, { ...around, patience: 75 });
    const { found, finished } = search(scan, texts);
    assert.deepEqual([found, finished], [expected('[a-z]+pha', texts), [0, 1, 2]]);
    // It has got on the first time, and hung the second; after the first text it hung at once.
    const calls = hanging === 0 ? [75] : [75, 75];
    assert.deepEqual(around.calls, calls);
    const { isNative, milliseconds, steps } = scan.budget;
    assert.deepEqual([isNative, milliseconds], [false, 350 - 75 * calls.length]);
    assert.ok(steps < plenty.steps);
    // Nothing is tried twice: what comes behind goes to re2js at once.
    assert.deepEqual(search(scan, texts).finished, [0, 1, 2]);
    assert.deepEqual(around.calls, calls);
  }
});

test('[SE62] JavaScript’s engine never has more time than there is left', () => {
  const around = hangBefore(0);
  const short = hangBefore(1);
  const { finished } = search(makeScan('[a-z]+pha', { milliseconds: 100 }, { ...short, patience: 75 }), texts);
  assert.deepEqual([short.calls, finished], [[75, 25], [0]]);
  assert.deepEqual(search(makeScan('[a-z]+pha', { milliseconds: 0 }, around), texts).finished, []);
  assert.deepEqual(around.calls, []);
});

test('[SE62] re2js does not begin when the search is late, and says what it has not searched; what gets on is searched', () => {
  const late = { isLate: () => true };
  const hung = search(makeScan('[a-z]+pha', {}, { ...hangBefore(1), ...late, patience: 75 }), texts);
  assert.deepEqual(hung.finished, [0]);
  assert.deepEqual(hung.found, expected('[a-z]+pha', texts.slice(0, 1)));
  assert.deepEqual(search(makeScan('[a-z]+pha', {}, late), texts).finished, [0, 1, 2]);
  assert.deepEqual(search(makeScan('\\pL+pha', { isNative: false }, late), texts).finished, []);
});

test('[SE62] a thread that had to wait for a processor does not count as one that hangs', () => {
  const { limit = () => true, isCancelled } = hangBefore(0);
  let calls = 0;
  // It is ended three times without having used any time.
  const waiting = (milliseconds: number, work: () => void): boolean => {
    calls += 1;
    return calls <= 3 ? limit(milliseconds, work) : (work(), true);
  };
  const scan = makeScan('[a-z]+pha', {}, { isCancelled, limit: waiting, processorTime: () => 0 });
  assert.deepEqual(search(scan, texts), { found: expected('[a-z]+pha', texts), finished: [0, 1, 2] });
  assert.deepEqual([calls, scan.budget.isNative], [4, true]);
});

test('[SE62] these tests would notice work that was not done', () => {
  const { found, finished } = search(makeScan('[a-z]+pha', {}, { limit: () => true }), texts);
  assert.deepEqual([found, finished], [[], []]);
});

test('[SE52] a pattern that cannot hang is not watched', () => {
  const never = (): never => assert.fail('it was watched');
  assert.deepEqual(search(makeScan('(al|be)(pha|ta)', {}, { limit: never }), texts).finished, [0, 1, 2]);
  assert.throws(() => search(makeScan('[a-z]+pha', {}, { limit: never }), texts), assert.AssertionError);
});

test('[SE52] [SE62] one that cannot hang is left between two texts when its time is over', () => {
  let used = 0;
  const scan = makeScan('(al|be)(pha|ta)', { milliseconds: 100 }, { processorTime: () => (used += 40) });
  const { finished } = search(scan, [...texts, ...texts]);
  assert.deepEqual([finished, scan.isOver], [[0, 1, 2], true]);
});
