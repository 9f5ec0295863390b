import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { BlockSearch } from './block-search.ts';
import { searchBlocks } from './testing/search-blocks.ts';
import type { BlockSearchOptions, SearchableBlock } from './block-search.ts';
import { compileQuery } from './query.ts';
import { searchAllowance, searchText } from './text-search.ts';

function matcherOf(query: string) {
  const result = compileQuery({ query });
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
  const search = new BlockSearch(matcherOf('x'), { path_prefix: 'src/' });
  assert.equal(search.wants({ block_id: 'w/@fs/9', kind: 'file', path: 'src/z' }), true);
  assert.equal(search.wants({ block_id: 'w/@fs/9', kind: 'file', path: 'srcz' }), false);
});

test('[SE35] writers, failures and times leave blocks out', () => {
  const wants = (filter: object, block: object): boolean =>
    new BlockSearch(matcherOf('x'), filter).wants({ block_id: 'b', kind: 'text', ...block });
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

test('[SE34] a full search looks at no further block', () => {
  const search = new BlockSearch(matcherOf('find'), { max_blocks: 1, kinds: ['file'] });
  assert.deepEqual(
    blocks.map((block) => search.add(block)),
    [false, false, false, false, false, true, true],
  );
  assert.equal(search.full, true);
  assert.equal(search.result().blocks.length, 1);
  let offered = 0;
  function* offer() {
    for (const block of blocks) {
      offered += 1;
      yield block;
    }
  }
  searchBlocks(offer(), matcherOf('find'), { max_blocks: 1, kinds: ['file'] });
  assert.equal(offered, 6);
});

test('[SE34] [SE40] a search that has used up its steps is full', () => {
  const search = new BlockSearch(matcherOf('[xy]'), {}, searchAllowance(1_000));
  const block = { block_id: 'b', kind: 'file', text: 'a'.repeat(10_000) };
  assert.equal(search.add(block), true);
  assert.equal(search.add({ ...block, text: 'x' }), true);
  assert.deepEqual(search.result(), { blocks: [], truncated: true });
});

test('[SE60] what another searcher has found is answered as if it had been searched here', () => {
  const word = fc.constantFrom('a', 'aa', 'b', 'a\na');
  const texts = fc.array(
    fc.array(word, { maxLength: 6 }).map((words) => words.join(' ')),
    { maxLength: 8 },
  );
  const options = fc.record({
    max_blocks: fc.integer({ min: 1, max: 4 }),
    max_matches_per_block: fc.integer({ min: 1, max: 4 }),
  });
  fc.assert(
    fc.property(texts, options, fc.integer({ min: 1, max: 12 }), (list, limits, matches) => {
      const matcher = matcherOf('a');
      const settings = { ...limits, kinds: ['text'] };
      const allowance = () => ({ ...searchAllowance(), matches, characters: 3 * matches });
      const here = new BlockSearch(matcher, settings, allowance());
      const taken = new BlockSearch(matcher, settings, allowance());
      for (const [index, text] of list.entries()) {
        const block_id = String(index);
        here.add({ block_id, kind: 'text', text });
        const found = searchText(text, matcher, { max_matches: limits.max_matches_per_block });
        if (found.matches.length > 0)
          taken.take({ block_id, matches: found.matches, ...(found.truncated && { truncated: true }) });
      }
      assert.deepEqual(taken.result().blocks, here.result().blocks);
      // A search that knows that nothing was left out need not say that something may have been.
      assert.ok(here.result().truncated || !taken.result().truncated);
    }),
  );
});
