import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blockFilter } from './block-filter.ts';
import { searchBlocks } from './testing/search-blocks.ts';
import { searchRoot } from './root-search.ts';
import type { BlockSearchOptions, FoundBlock, SearchableBlock, SearchedRoot } from './root-search.ts';
import { SearchPage } from './search-page.ts';
import { readPlace, writePlace } from './search-place.ts';
import { compileQuery } from './query.ts';
import { searchAllowance, searchText } from './text-search.ts';

function matcherOf(query: string, ignoreCase = false) {
  const result = compileQuery({ query, ignoreCase });
  return result.ok ? result.matcher : assert.fail(JSON.stringify(result.refusal));
}

const blocks: SearchableBlock[] = [
  { block_id: 'r1/@me/1', kind: 'text', root: 'r1', role: 'user', text: 'find me' },
  { block_id: 'r1/@me/2', kind: 'tool-use', root: 'r1', role: 'assistant', text: 'find me' },
  { block_id: 'r1/@me/3', kind: 'text', root: 'r1', role: 'tool', text: 'find me' },
  { block_id: 'r2/@me/1', kind: 'code', root: 'r2', role: 'tool', text: 'find me' },
  { block_id: 'w/@fs/1', kind: 'file', path: 'src/a.ts', text: 'one\nfind me, find me\n' },
  { block_id: 'w/@fs/2', kind: 'file', path: 'src/b.ts', text: 'nothing' },
  { block_id: 'w/@fs/3', kind: 'file', path: 'test/a.ts', text: 'find me' },
];

const ids = (options: BlockSearchOptions) =>
  searchBlocks(blocks, matcherOf('find me'), options).blocks.map((block) => block.block_id);

test('[SE30] blocks with matches are answered in order, with their path', () => {
  assert.deepEqual(searchBlocks(blocks, matcherOf('find'), { context_lines: 1, kinds: ['file'] }), {
    blocks: [
      {
        block_id: 'w/@fs/1',
        path: 'src/a.ts',
        matches: [
          { line: 1, content: 'one\nfind me, find me', match_start: 0, match_end: 4 },
          { line: 1, content: 'one\nfind me, find me', match_start: 9, match_end: 13 },
        ],
      },
      {
        block_id: 'w/@fs/3',
        path: 'test/a.ts',
        matches: [{ line: 0, content: 'find me', match_start: 0, match_end: 4 }],
      },
    ],
    truncated: false,
  });
  const [plain] = searchBlocks(blocks, matcherOf('find'), { kinds: ['text'] }).blocks;
  assert.deepEqual(Object.keys(plain ?? {}), ['block_id', 'matches']);
});

test('[SE31] kinds are taken in every accepted spelling', () => {
  assert.deepEqual(ids({ kinds: ['tool_call'] }), ['r1/@me/2']);
  assert.deepEqual(ids({ kinds: ['tool-use', 'code'] }), ['r1/@me/2', 'r2/@me/1']);
  assert.deepEqual(ids({ kinds: ['tool_result'] }), ['r1/@me/3', 'r2/@me/1']);
  assert.deepEqual(ids({ kinds: ['text'] }), ['r1/@me/1', 'r1/@me/3']);
  assert.deepEqual(ids({ kinds: [] }), []);
  assert.equal(ids({}).length, 6, 'all by default');
});

test('[SE32] paths and roots leave blocks out, and no text is needed to know', () => {
  assert.deepEqual(ids({ path_prefix: 'src/' }), ['w/@fs/1']);
  assert.deepEqual(ids({ path_prefix: '', kinds: ['file', 'text'] }), ['w/@fs/1', 'w/@fs/3']);
  assert.deepEqual(ids({ roots: ['r2'], kinds: ['code', 'text', 'file'] }), ['r2/@me/1']);
  const isWanted = blockFilter({ path_prefix: 'src/' });
  assert.equal(isWanted({ kind: 'file', path: 'src/z' }), true);
  assert.equal(isWanted({ kind: 'file', path: 'srcz' }), false);
});

test('[SE35] writers, failures and times leave blocks out', () => {
  const wants = (filter: object, block: object): boolean => blockFilter(filter)({ kind: 'text', ...block });
  const time = Date.UTC(2026, 0, 31, 12);
  assert.equal(wants({ agents: ['demo'] }, { agent: 'demo:one' }), true);
  assert.equal(wants({ agents: ['demo'] }, { agent: 'demonstration' }), false);
  assert.equal(wants({ agents: ['demo:one'] }, {}), false);
  assert.equal(wants({ agents: [] }, { agent: 'demo:one' }), false);
  assert.equal(wants({ errors: true }, { failed: false }), false);
  assert.equal(wants({ errors: true }, { failed: true }), true);
  assert.equal(wants({ errors: false }, { failed: false }), true);
  assert.equal(wants({ after: '2026-01-31' }, { time }), true);
  assert.equal(wants({ after: '2026-01-31T12:00:00Z' }, { time }), true);
  assert.equal(wants({ before: '2026-01-31T12:00:00Z' }, { time }), false);
  assert.equal(wants({ before: '2026-02-01' }, { time }), true);
  assert.equal(wants({ after: '2026-01-31', before: '2026-01-31T13:00:00+02:00' }, { time }), false);
  assert.equal(wants({ before: '2026-02-01' }, {}), false, 'without a time it was begun at none');
});

test('[SE33] the limits on blocks and matches hold, and what was left out is said', () => {
  const files = Array.from({ length: 101 }, (_, index) => ({
    block_id: `b${index}`,
    kind: 'file',
    text: 'x\n'.repeat(21),
  }));
  const { blocks: found, truncated } = searchBlocks(files, matcherOf('x'));
  assert.deepEqual([found.length, found[0]?.matches.length, found[0]?.truncated, truncated], [100, 20, true, true]);
  const few = { max_matches_per_block: 30, max_blocks: 101 };
  const all = searchBlocks(files, matcherOf('x'), few);
  assert.deepEqual([all.blocks.length, all.blocks[0]?.truncated, all.truncated], [101, undefined, false]);
  assert.equal(searchBlocks(files, matcherOf('x'), { ...few, max_blocks: 100 }).truncated, true);
  assert.equal(searchBlocks(files, matcherOf('x'), { ...few, max_matches_per_block: 20 }).truncated, true);
});

test('[SE24] [SE33] all blocks together are answered with at most 10,000 matches', () => {
  const files = Array.from({ length: 4 }, (_, index) => ({
    block_id: `b${index}`,
    kind: 'file',
    text: 'x\n'.repeat(4_000),
  }));
  const { blocks: found, truncated } = searchBlocks(files, matcherOf('x'), {
    max_matches_per_block: 1e6,
    context_lines: 0,
  });
  assert.deepEqual(
    found.map((block) => block.matches.length),
    [4_000, 4_000, 2_000],
  );
  assert.deepEqual([truncated, found[2]?.truncated], [true, true]);
});

const found = (id: string, quality = 0, content = 'x'): FoundBlock => ({
  block_id: id,
  matches: [{ line: 0, content, match_start: 0, match_end: 1 }],
  quality,
});

test('[SE34] a search that has used up its steps stops before the block that it could not finish', () => {
  const texts = ['a'.repeat(4_000), 'x', 'a'.repeat(4_000), 'x'];
  const blocks = texts.map((text, index) => ({ block_id: `b${index}`, kind: 'file', text }));
  const search = (after?: string): SearchedRoot =>
    searchRoot(blocks, {
      root: 'r',
      matcher: matcherOf('[xy]'),
      options: {},
      allowance: searchAllowance(3_000),
      after,
    });
  const stops: (string | undefined)[] = [];
  const hits: string[] = [];
  let answer = search();
  for (; answer.stop !== undefined; answer = search(answer.stop.after)) {
    stops.push(answer.stop.after);
    hits.push(...answer.blocks.map(({ block_id }) => block_id));
  }
  hits.push(...answer.blocks.map(({ block_id }) => block_id));
  assert.ok(stops.length > 0, 'it stopped on the way');
  assert.deepEqual(hits, ['b1', 'b3']);
});

test('[SE34] [SE40] a block that no search can finish is passed over, and the search never says that it is complete', () => {
  const block = { block_id: 'b0', kind: 'file', text: `x${'a'.repeat(10_000)}` };
  const blocks = [block, { ...block, block_id: 'b1', text: 'x' }];
  const ask = (after?: string): SearchedRoot =>
    searchRoot(blocks, {
      root: 'r',
      matcher: matcherOf('[xy]'),
      options: {},
      allowance: searchAllowance(1_000),
      after,
    });
  const first = ask();
  assert.deepEqual([first.stop, first.skipped], [{ after: 'b0' }, true]);
  const page = new SearchPage({});
  page.take(first);
  const { next, complete } = page.result();
  assert.deepEqual([next, complete], [{ root: 'r', after: 'b0', isPartial: true }, false]);
  const last = new SearchPage({}, next);
  last.take(ask('b0'), 'b0');
  const result = last.result();
  assert.deepEqual([result.blocks.length, result.next, result.complete, result.truncated], [1, undefined, false, true]);
});

test('[SE36] a page is cut where it is full and goes on there; a page that is just full is complete', () => {
  const roots: SearchedRoot[] = [
    { root: 'r3', blocks: [found('r3/1'), found('r3/2'), found('r3/3')] },
    { root: 'r2', blocks: [] },
    { root: 'r1', blocks: [found('r1/1')] },
    { root: 'r0', blocks: [] },
  ];
  const all: string[] = [];
  let place: ReturnType<typeof readPlace>;
  let pages = 0;
  for (;;) {
    const from = place;
    const page = new SearchPage({ max_blocks: 2 }, from);
    const start = from === undefined ? 0 : roots.findIndex(({ root }) => root === from.root);
    for (const [index, answer] of roots.slice(start).entries()) {
      const after = index === 0 ? from?.after : undefined;
      const at = answer.blocks.findIndex(({ block_id }) => block_id === after) + 1;
      page.take({ ...answer, blocks: answer.blocks.slice(at) }, after);
      if (page.isOver) break;
    }
    const { blocks, next, complete, truncated } = page.result();
    all.push(...blocks.map(({ block_id }) => block_id));
    pages += 1;
    assert.equal(complete, next === undefined);
    assert.equal(truncated, !complete);
    if (next === undefined) break;
    place = readPlace(writePlace(next));
  }
  assert.deepEqual([pages, all], [2, ['r3/1', 'r3/2', 'r3/3', 'r1/1']]);
  for (const text of ['', '{}', '["r"]', '["r",1,false]', 'null']) assert.equal(readPlace(text), undefined, text);
});

test('[SE37] the best come first, conversation by conversation, and those that are not listed are counted', () => {
  const page = new SearchPage({ max_blocks_per_root: 2 });
  page.take({ root: 'new', blocks: [found('new/1'), found('new/2')] });
  page.take({ root: 'old', blocks: [found('old/1'), found('old/2', 1), found('old/3', 2)] });
  const { blocks, conversations, complete, truncated } = page.result();
  assert.deepEqual(
    blocks.map(({ block_id }) => block_id),
    ['old/3', 'old/2', 'new/1', 'new/2'],
  );
  assert.deepEqual(conversations, [
    { root: 'old', blocks: 3 },
    { root: 'new', blocks: 2 },
  ]);
  assert.deepEqual([complete, truncated], [true, true], 'everything was searched, and one is not listed');
  assert.deepEqual(Object.keys(blocks[0] ?? {}), ['block_id', 'matches']);
  const qualities = ['a cat', 'a Cat', 'concat'].map((text) => searchText(text, matcherOf('cat', true), {}).quality);
  assert.deepEqual(qualities, [2, 1, 0]);
});

test('[SE24] [SE36] a page answers at most 10,000 matches, and something of the first block however long it is', () => {
  const long = 'x'.repeat(3_000_000);
  const page = new SearchPage({});
  page.take({ root: 'r', blocks: [found('r/1', 0, long), found('r/2', 0, long)] });
  assert.deepEqual([page.result().blocks.length, page.result().next], [1, { root: 'r', after: 'r/1' }]);
  const huge = new SearchPage({});
  huge.take({ root: 'r', blocks: [found('r/1', 0, long + long), found('r/2')] });
  assert.deepEqual([huge.result().blocks.length, huge.result().next], [1, { root: 'r', after: 'r/1' }]);
});
