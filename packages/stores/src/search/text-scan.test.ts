import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collectMatches, compileQuery, lineMatches, searchAllowance } from '@loom/kernel/search';
import type { TextSearchResult } from '@loom/kernel/search';
import * as fc from 'fast-check';
import { JoinedTexts } from './joined-texts.ts';
import type { ScanBudget } from './search-message.ts';
import { TextScan } from './text-scan.ts';
import type { ScannedTexts, ScanSurroundings } from './text-scan.ts';

const plenty: ScanBudget = { isNative: true, milliseconds: 60_000, steps: 8_000_000 };
const calm: ScanSurroundings = { isCancelled: () => false, patience: 60_000 };

function join(blocks: readonly string[]): JoinedTexts {
  return new JoinedTexts(
    blocks.join('\n'),
    blocks.map(({ length }) => length),
  );
}

function makeScan(query: string, budget: Partial<ScanBudget> = {}, around: Partial<ScanSurroundings> = {}): TextScan {
  const compiled = compileQuery({ query });
  assert.ok(compiled.ok);
  return new TextScan(compiled.matcher, { options: {} }, { ...plenty, ...budget }, { ...calm, ...around });
}

/** Returns the matches of a scan in texts, and the texts it searched to the end. */
function search(scan: TextScan, texts: readonly (readonly string[])[], asked?: ScannedTexts['asked']) {
  const found: [text: number, block: number, result: TextSearchResult][] = [];
  const [finished, skipped]: [number[], number[]] = [[], []];
  scan.search(
    texts.map((blocks, text) => ({
      texts: join(blocks),
      asked: asked ?? [{ from: 0, to: blocks.length }],
      add: (block, result) => void found.push([text, block, result]),
      reached: (block) => {
        if (block === (asked?.at(-1)?.to ?? blocks.length) - 1) finished.push(text);
      },
      skipped: () => void skipped.push(text),
    })),
  );
  return { found: found.sort(([a, b], [c, d]) => a - c || b - d), finished: finished.sort((a, b) => a - b), skipped };
}

/** Returns the matches of a search of each block alone. */
function expected(query: string, texts: readonly (readonly string[])[]): [number, number, TextSearchResult][] {
  const compiled = compileQuery({ query });
  assert.ok(compiled.ok);
  const { matcher } = compiled;
  return texts.flatMap((blocks, text) =>
    blocks.flatMap((content, block): [number, number, TextSearchResult][] => {
      const allowance = searchAllowance();
      const options = { literal: matcher.literal };
      const result = collectMatches(content, lineMatches(content, matcher, allowance.meter), options, allowance);
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
    // It made progress the first time, and hung the second; after the first text it hung at once.
    const calls = hanging === 0 ? [75] : [75, 75];
    assert.deepEqual(around.calls, calls);
    assert.equal(scan.isNative, false);
    // Nothing is tried twice: the texts behind go to re2js at once.
    assert.deepEqual(search(scan, texts).finished, [0, 1, 2]);
    assert.deepEqual(around.calls, calls);
  }
});

test('[SE62] when the time is over the rest is left for the next search, which gets on however little time it has', () => {
  const short = hangBefore(1);
  const { finished } = search(makeScan('[a-z]+pha', { milliseconds: 75 }, { ...short, patience: 75 }), texts);
  assert.deepEqual([short.calls, finished], [[75], [0]]);
  for (const isNative of [true, false]) {
    for (const query of ['[a-z]+pha', 'alpha']) {
      let used = 0;
      const scan = makeScan(query, { milliseconds: 1, isNative }, { processorTime: () => (used += 10) });
      const { found } = search(scan, texts);
      assert.ok(found.length > 0 && scan.isOver, `${query} ${isNative}`);
    }
  }
});

test('[SE62] a block that takes more steps than a whole search has is passed over, others are left for the next search', () => {
  const long = `${'ab'.repeat(2_000)}!`;
  const scan = (first: string, steps: number) =>
    search(makeScan('(a|b|ab)+[0-9]$', { isNative: false, steps }), [[first, 'ab1', long], ['ab2']]);
  const { found, finished, skipped } = scan(long, 1_000);
  assert.deepEqual([found.length, finished, skipped], [0, [], [0]]);
  const later = scan('ab0', 1_000);
  assert.deepEqual([later.found.length, later.finished, later.skipped], [2, [], []]);
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
  assert.deepEqual(search(scan, texts), { found: expected('[a-z]+pha', texts), finished: [0, 1, 2], skipped: [] });
  assert.deepEqual([calls, scan.isNative], [4, true]);
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
  assert.deepEqual([finished, scan.isOver], [[0, 1], true]);
});
