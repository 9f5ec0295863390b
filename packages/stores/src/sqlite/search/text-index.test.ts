import assert from 'node:assert/strict';
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { SearchThread } from '../../search/search-thread.ts';
import type { IndexedWorld } from '../../search/testing/indexed-world.ts';
import { withSqliteWorld } from './testing/sqlite-world.ts';

const words = ['alpha', 'beta', 'gamma', 'ALPHA', 'alphabet', 'жук', '龘龘', '😀', 'x\r\ny', '12', '\n', ' '];
const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 }).map((list) => `${list.join(' ')}.`);
const queries = [
  'alpha',
  '(?i)alpha',
  '[a-z]+bet',
  '(al|ga)[a-z]+\\b',
  'alpha|gamma',
  '^beta',
  'a$',
  '[0-9]{2}',
  'жук',
  '龘',
  '\\pL{5}',
  'x$',
  'nowhere',
  '.',
];
const kinds = ['text', 'image'];
// Blocks without text are found by their rendering.
const image = {
  type: 'image' as const,
  media_type: 'image/png',
  url: 'https://example.org/',
  filename: 'alpha beta 12.png',
};

type Step =
  | { do: 'say'; root: number; below: number; text: string }
  | { do: 'edit'; root: number; node: number; text: string }
  | { do: 'remove'; root: number; node: number }
  | { do: 'remove-root'; root: number }
  | { do: 'search'; query: number };

const number = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('say' as const), root: number, below: number, text }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('edit' as const), root: number, node: number, text }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('remove' as const), root: number, node: number }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove-root' as const), root: number }) },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('search' as const), query: fc.nat({ max: queries.length - 1 }) }),
  },
);

/** Takes a step if its target exists; otherwise does nothing. */
async function take(world: IndexedWorld, roots: string[], taken: Step): Promise<void> {
  const { forest, by } = world;
  if (taken.do === 'search') {
    await world.find({ query: queries[taken.query] ?? '', kinds });
    return;
  }
  const root = roots[taken.root % roots.length] ?? '';
  const nodes = [...(await forest.log(root).state()).nodes.values()];
  switch (taken.do) {
    case 'say':
      await forest.append(by(), root, {
        parent: nodes[taken.below]?.id ?? root,
        messages: [
          { role: 'user', content: [{ type: 'text', text: taken.text }, ...(taken.below === 1 ? [image] : [])] },
        ],
      });
      return;
    case 'edit': {
      const block = nodes[taken.node]?.blocks[0]?.block_id;
      if (block !== undefined) await world.tools.append(by(), { block_id: block, text: taken.text });
      return;
    }
    case 'remove':
      if (nodes[taken.node] !== undefined)
        await forest.remove(by(), root, { node: nodes[taken.node]?.id ?? '', children: 'remove' });
      return;
    case 'remove-root':
      if (nodes.length > 8) await forest.removeRoot(by(), root);
  }
}

test('[SE60] a search with the index answers what one without it answers, whatever was written before', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), fc.integer({ min: 1, max: 4 }), (steps, every) =>
      withSqliteWorld({ every }, async (world) => {
        const roots = [await world.root(), await world.root(), await world.root()];
        for (const taken of steps) await take(world, roots, taken);
        await world.index.ready();
        for (const query of queries) await world.find({ query, kinds });
        await world
          .find({ query: 'a', literal: true, kinds, max_blocks: 2, max_matches_per_block: 1 })
          .catch(() => undefined);
      }),
    ),
    { numRuns: 4 },
  );
});

test('[SE60] what was just written is answered by the index, with a snapshot or without one', async () => {
  for (const every of [1, 1_000]) {
    await withSqliteWorld({ every }, async (world) => {
      const root = await world.root();
      for (const text of ['alpha', 'alphabet', 'ALPHA']) {
        await world.say(root, text);
        const found: string[] = [];
        const search = { query: { query: text }, roots: [root], options: { kinds } };
        for await (const answer of world.index.search(search)) {
          assert.equal(answer.type, 'searched');
          if (answer.type === 'searched') found.push(...answer.blocks.map(({ matches }) => matches[0]?.content ?? ''));
        }
        assert.ok(found.includes(text), text);
      }
    });
  }
});

test('[SE68] what is written is entered twice a second, without a search', async () => {
  const waits: { milliseconds: number; go: () => void }[] = [];
  let waiting = (): void => undefined;
  const after = (milliseconds: number, go: () => void) => {
    waits.push({ milliseconds, go });
    waiting();
    return () => undefined;
  };
  await withSqliteWorld({ after }, async (world) => {
    const root = await world.root();
    world.index.follow();
    for (const text of ['alpha', 'beta']) {
      await world.say(root, text);
      const entered = new Promise<void>((resolve) => (waiting = resolve));
      waits.at(-1)?.go();
      await entered;
      using database = new DatabaseSync(join(world.directory, 'loom.db-search'), { timeout: 600_000 });
      const { seq } = await world.forest.log(root).state();
      assert.equal(database.prepare('SELECT seq FROM logs WHERE name = ?').get(root)?.['seq'], seq);
    }
    assert.deepEqual(
      waits.map(({ milliseconds }) => milliseconds),
      [500, 500, 500],
    );
  });
});

test('[SE68] where nothing was written since the last look, no thread looks for it', async (t) => {
  const ticks: (() => void)[] = [];
  const after = (_milliseconds: number, tick: () => void) => {
    ticks.push(tick);
    return () => undefined;
  };
  await withSqliteWorld({ after }, async (world) => {
    const path = join(world.directory, 'loom.db-search');
    const root = await world.root();
    const asked = t.mock.method(SearchThread.prototype, 'ask');
    /** Returns true if a tick asked the thread. */
    const looks = async (): Promise<boolean> => {
      const [count, calls] = [ticks.length, asked.mock.callCount()];
      ticks.at(-1)?.();
      while (ticks.length === count) await new Promise((resolve) => void setImmediate(resolve));
      return asked.mock.callCount() > calls;
    };
    /** Ticks until all is entered: the first look makes the index. */
    const settle = async (): Promise<void> => {
      while (await looks());
    };
    world.index.follow();
    assert.equal(await looks(), true);
    await settle();
    await world.say(root, 'alpha');
    assert.equal(await looks(), true, 'something was written');
    await settle();
    for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
    assert.equal(await looks(), true, 'the index is gone');
    await settle();
    assert.equal(await looks(), false);
  });
});

test('[SE61] an index that is deleted or damaged at any moment changes no answer', async () => {
  await withSqliteWorld({}, async (world) => {
    const root = await world.root();
    for (let count = 0; count < 5; count += 1) await world.say(root, `alpha ${count} ${'beta '.repeat(count)}`);
    const path = join(world.directory, 'loom.db-search');
    const harms: (() => void)[] = [
      () => rmSync(path),
      () => ['', '-wal', '-shm'].forEach((suffix) => rmSync(path + suffix, { force: true })),
      () => writeFileSync(path, 'this is no database'),
      () => truncateSync(path, Math.floor(statSync(path).size / 2)),
      () => writeFileSync(path, readFileSync(path).fill(0xff, 4_096)),
      () => writeFileSync(path, ''),
    ];
    for (const harm of harms) {
      assert.equal((await world.find({ query: 'alpha', kinds })).blocks.length, 5);
      await world.index.ready();
      harm();
      assert.equal((await world.find({ query: 'beta (beta|x)', kinds })).blocks.length, 3, String(harm));
      await world.say(root, 'something else');
    }
  });
});

test('[SE61] these tests would notice an index that has lost a row or says nothing of a change', async () => {
  await withSqliteWorld({}, async (world) => {
    const root = await world.root();
    await world.say(root, 'alpha');
    const { blocks } = await world.find({ query: 'alpha', kinds });
    const block = blocks[0]?.block_id ?? '';
    await world.index.ready();
    const spoil = (sql: string): void => {
      using database = new DatabaseSync(join(world.directory, 'loom.db-search'), { timeout: 600_000 });
      database.exec(sql);
    };
    spoil('DELETE FROM trigrams WHERE rowid IN (SELECT id FROM stretches)');
    await assert.rejects(world.find({ query: 'alpha', kinds }), assert.AssertionError);
    // As long as before, so that nothing but the number of the change shows that it is another text.
    await world.tools.splice(world.by(), { block_id: block, offset: 0, delete_count: 5, insert: 'omega' });
    await world.forest.log(root).release();
    spoil(`UPDATE logs SET seq = ${(await world.forest.log(root).state()).seq}`);
    await assert.rejects(world.find({ query: 'omega', kinds }), assert.AssertionError);
  });
});

test('[SE62] a pattern in which JavaScript’s engine hangs is ended, and answered by re2js', async () => {
  await withSqliteWorld({ patience: 40 }, async (world) => {
    const root = await world.root();
    await world.say(root, `${'a'.repeat(60)}!`);
    await world.say(root, 'aa');
    const { blocks, truncated } = await world.find({ query: '^(a|aa)+$', kinds });
    assert.deepEqual([blocks.length, truncated], [1, false]);
    assert.equal((await world.find({ query: 'aa', kinds })).blocks.length, 2);
  });
});

test('[SE62] what there is no time for is left for the next search, and going on to the end finds everything', async () => {
  await withSqliteWorld({ patience: 40, milliseconds: 1, steps: 500_000 }, async (world) => {
    const root = await world.root();
    const block = `${'ab'.repeat(40)}!\n`.repeat(20);
    for (let count = 0; count < 40; count += 1)
      await world.say(root, `${count} ${block}${count % 7 === 0 ? 'ab5' : ''}`);
    const query = '(a|b|ab)+[0-9]$';
    const first = await world.tools.searchAll({ query, kinds });
    assert.ok('next' in first && !first.complete, JSON.stringify(first));
    const { blocks, complete } = await world.find({ query, kinds });
    assert.deepEqual([blocks.length, complete], [6, true]);
  });
});

test('[SE63] a thread that dies, or never was, costs nothing but time', async () => {
  const script = new URL('data:text/javascript,process.exit(1)');
  await withSqliteWorld({ script }, async (world) => {
    const root = await world.root();
    await world.say(root, 'alpha');
    assert.equal((await world.find({ query: 'alpha', kinds })).blocks.length, 1);
    await world.index.ready();
  });
});

test('[SE66] writers, failures and times narrow a search with the index as they do one without it', async () => {
  await withSqliteWorld({}, async (world) => {
    const root = await world.root();
    await world.say(root, 'alpha of ann');
    const middle = new Date((await world.forest.log(root).state()).updated + 1).toISOString();
    const call = { type: 'tool-use' as const, id: 'call', name: 'shell', parameters: {} };
    const said = await world.forest.append({ agent: 'demo:one', id: world.by().id }, root, {
      parent: root,
      messages: [
        { role: 'assistant', content: [{ type: 'text', text: 'alpha of a model' }, call] },
        { role: 'tool', tool_call_id: 'call', is_error: true, content: [{ type: 'text', text: 'alpha failed' }] },
      ],
    });
    assert.ok(said.ok, JSON.stringify(said));
    const found = async (filter: object): Promise<string[]> => {
      const { blocks } = await world.find({ query: 'alpha.*', ...filter });
      return blocks.flatMap(({ matches }) => matches.map(({ content }) => content));
    };
    assert.deepEqual(await found({}), ['alpha of ann', 'alpha of a model', 'alpha failed']);
    assert.deepEqual(await found({ agents: ['ann'] }), ['alpha of ann']);
    assert.deepEqual(await found({ agents: ['demo'] }), ['alpha of a model', 'alpha failed']);
    assert.deepEqual(await found({ agents: ['demo:on'] }), []);
    assert.deepEqual(await found({ roles: ['user', 'tool'] }), ['alpha of ann', 'alpha failed']);
    assert.deepEqual(await found({ roles: ['assistant'], agents: ['ann'] }), []);
    assert.deepEqual(await found({ errors: true }), ['alpha failed']);
    assert.deepEqual(await found({ errors: false, agents: ['demo:one', 'ann'] }), await found({}));
    assert.deepEqual(await found({ before: middle }), ['alpha of ann']);
    assert.deepEqual(await found({ after: middle, kinds: ['text'] }), ['alpha of a model', 'alpha failed']);
    assert.deepEqual(await found({ after: '1970-01-02' }), []);
    assert.deepEqual((await found({ before: '1970-01-02' })).length, 3);
  });
});

test('[SE67] a search is not held up by one that goes on, and a third one has its turn', async () => {
  await withSqliteWorld({}, async (world) => {
    const root = await world.root();
    await world.say(root, 'alpha');
    await world.find({ query: 'alpha', kinds });
    const search = { query: { query: 'alpha' }, roots: [root], options: { kinds } };
    // A search whose reader takes its time is under way until that is done.
    const slow = world.index.search(search);
    await slow.next();
    const types: string[] = [];
    for await (const { type } of world.index.search(search)) types.push(type);
    assert.deepEqual(types, ['searched']);
    const second = world.index.search(search);
    await second.next();
    const third = world.index.search(search).next();
    await slow.return();
    const answer = await third;
    assert.equal(answer.done === false && answer.value.type, 'searched');
    await second.return();
  });
});
