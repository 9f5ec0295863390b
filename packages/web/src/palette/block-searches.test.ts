import test from 'node:test';
import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { BlockSearches } from './block-searches.ts';
import type { BlockPlace, SearchPorts } from './block-searches.ts';

function placeOf(block: string): BlockPlace {
  const about = { root: 'r', opening: 'o', node: 'r/n', role: 'user' as const, type: 'text' };
  return { block_id: block, ...about, time: '2026-11-17T10:00:00Z' };
}

function foundIn(...blocks: string[]): Awaited<ReturnType<SearchPorts['search']>> {
  const match = { line: 0, content: 'abc', match_start: 0, match_end: 1 };
  return {
    blocks: blocks.map((block) => ({ block_id: block, matches: [match] })),
    conversations: [{ root: 'r', blocks: blocks.length }],
    truncated: false,
    complete: true,
    searched: { conversations: 1, of: 1 },
  };
}

interface Asked {
  query: string;
  from: string | undefined;
  kinds: readonly string[] | undefined;
  signal: AbortSignal;
  answer: (found: ReturnType<typeof foundIn>) => void;
}

/** Searches whose clock and results the test moves by hand. */
function handed(): {
  searches: BlockSearches;
  asked: Asked[];
  rest: () => void;
  gone: Set<string>;
  located: number[];
} {
  const asked: Asked[] = [];
  const gone = new Set<string>();
  const located: number[] = [];
  let waiting: (() => void) | undefined;
  const searches = new BlockSearches({
    search({ query, kinds, from }, signal) {
      const { promise, resolve } = Promise.withResolvers<ReturnType<typeof foundIn>>();
      asked.push({ query, from, kinds, signal, answer: resolve });
      return promise;
    },
    locate(blocks) {
      located.push(blocks.length);
      return Promise.resolve(blocks.filter((block) => !gone.has(block)).map(placeOf));
    },
    here: () => undefined,
    now: () => 0,
    after(_milliseconds, callback) {
      waiting = callback;
      return () => {
        waiting = undefined;
      };
    },
  });
  const rest = (): void => {
    const run = waiting;
    waiting = undefined;
    run?.();
  };
  return { searches, asked, rest, gone, located };
}

test('[WB107] a search begins when typing rests; the one before is cancelled and never shown', async () => {
  const { searches, asked, rest } = handed();
  searches.look({ filters: [], text: 'wi' });
  searches.look({ filters: [], text: 'win' });
  rest();
  assert.deepEqual(
    asked.map(({ query }) => query),
    ['win'],
  );
  searches.look({ filters: [], text: 'wind' });
  assert.equal(asked[0]?.signal.aborted, true);
  rest();
  asked[1]?.answer(foundIn('r/new'));
  await setImmediate();
  asked[0]?.answer(foundIn('r/old'));
  await setImmediate();
  assert.deepEqual(
    searches.state.getSnapshot().hits.map(({ block }) => block),
    ['r/new'],
  );
  searches.look({ filters: [], text: '  ' });
  assert.equal(searches.state.getSnapshot().status, 'idle');
});

test('[WB107] what an earlier query found is gone as soon as the next one is typed', async () => {
  const { searches, asked, rest } = handed();
  const [first, second] = ['wind', 'window'].map((text) => ({ filters: [], text }));
  if (first === undefined || second === undefined) return assert.fail();
  searches.look(first);
  rest();
  asked[0]?.answer(foundIn('r/old'));
  await setImmediate();
  const { query, hits } = searches.state.getSnapshot();
  assert.deepEqual([query, hits.length], [first, 1]);
  searches.look(second);
  const typed = searches.state.getSnapshot();
  assert.deepEqual([typed.query, typed.status, typed.hits.length], [second, 'searching', 0]);
});

test('[WB107] what is found is shown before it is known where it is; with few results come those without the filters', async () => {
  const { searches, asked, rest, gone } = handed();
  gone.add('r/gone');
  searches.look({ filters: [{ name: 'kind', value: 'code' }], text: 'a' });
  rest();
  assert.deepEqual(asked[0]?.kinds, ['code']);
  const shown: string[] = [];
  searches.state.subscribe(() => {
    const { hits } = searches.state.getSnapshot();
    shown.push(hits.map(({ block, place }) => `${block}${place === undefined ? '?' : ''}`).join(' '));
  });
  asked[0]?.answer(foundIn('r/1', 'r/gone'));
  await setImmediate();
  assert.deepEqual(shown, ['r/1? r/gone?', 'r/1']);
  assert.equal(asked[1]?.kinds, undefined);
  asked[1]?.answer(foundIn('r/1', 'r/2'));
  await setImmediate();
  const { others } = searches.state.getSnapshot();
  assert.deepEqual(
    others.map(({ block, place }) => [block, place?.node]),
    [['r/2', 'r/n']],
  );
});

test('[WB107] where more blocks are than the server locates at once is asked in parts', async () => {
  const { searches, asked, rest, located } = handed();
  searches.look({ filters: [], text: 'a' });
  rest();
  asked[0]?.answer(foundIn(...Array.from({ length: 150 }, (_, index) => `r/${index}`)));
  await setImmediate();
  const { hits, problem } = searches.state.getSnapshot();
  assert.equal(problem, undefined);
  assert.deepEqual(located, [12, 100, 38], 'those in sight first');
  assert.equal(hits.filter(({ place }) => place !== undefined).length, 150);
});

test('[WB107] a filter that cannot be asked for is told, not sent', async () => {
  const { searches, asked, rest } = handed();
  searches.look({ filters: [{ name: 'kind', value: 'nothing' }], text: 'a' });
  rest();
  await setImmediate();
  assert.equal(asked.length, 0);
  assert.match(searches.state.getSnapshot().problem ?? '', /^There is no kind “nothing”/u);
});

test('[WB118] a search that stopped goes on where it was, behind what was found, until everything was looked through', async () => {
  const { searches, asked, rest } = handed();
  searches.goOn();
  searches.look({ filters: [], text: 'a' });
  rest();
  searches.goOn();
  assert.equal(asked.length, 1, 'there is nothing to go on with yet');
  const part = { complete: false, truncated: true, searched: { conversations: 3, of: 9 }, next: 'place' };
  asked[0]?.answer({ ...foundIn('r/1'), ...part });
  await setImmediate();
  const stopped = searches.state.getSnapshot();
  assert.deepEqual([stopped.isComplete, stopped.searched.conversations, stopped.next], [false, 3, 'place']);
  searches.goOn();
  assert.deepEqual([asked[1]?.query, asked[1]?.from, searches.state.getSnapshot().status], ['a', 'place', 'searching']);
  asked[1]?.answer(foundIn('r/2'));
  await setImmediate();
  const { hits, counts, isComplete, next, status } = searches.state.getSnapshot();
  assert.deepEqual(
    hits.map(({ block, place }) => [block, place?.node]),
    [
      ['r/1', 'r/n'],
      ['r/2', 'r/n'],
    ],
  );
  assert.deepEqual([counts.get('r'), isComplete, next, status], [2, true, undefined, 'done']);
  searches.goOn();
  assert.equal(asked.length, 2, 'nothing is left');
});
