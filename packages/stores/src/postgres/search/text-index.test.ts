import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { LoomEngine } from '@loom/kernel';
import { VirtualClock } from '@loom/kernel/testing';
import { noDatabase } from '../testing/database.ts';
import { withPostgresWorld } from './testing/postgres-world.ts';
import type { PostgresWorld } from './testing/postgres-world.ts';

const skip = noDatabase;

/** Returns what an index says of some conversations: the first line it finds in each block of those it knows, and `undefined` for the others. */
async function ask(
  index: PostgresWorld['index'],
  query: string,
  roots: readonly string[],
): Promise<(readonly string[] | undefined)[]> {
  const found: (readonly string[] | undefined)[] = [];
  const search = { query: { query, ignoreCase: true }, roots, options: { context_lines: 0 } };
  for await (const answer of index.search(search)) {
    const lines = (): string[] =>
      answer.type === 'unknown' ? [] : answer.blocks.map(({ matches }) => matches[0]?.content ?? '');
    found.push(answer.type === 'unknown' ? undefined : lines());
  }
  return found;
}

/** Purges conversations as another process does. */
async function purge({ store }: PostgresWorld, roots: readonly string[]): Promise<void> {
  let last = 0;
  const ids = { next: () => `purge-${(last += 1)}` };
  const hash = { hex: (text: string) => createHash('sha256').update(text).digest('hex') };
  const engine = new LoomEngine({
    clock: new VirtualClock(),
    ids,
    hash,
    providers: [],
    tools: [],
    store,
    holder: 'one',
  });
  const caller = { agent: 'ann', type: 'person', role: 'owner', id: 'purge', door: 'command' } as const;
  const purged = await engine.call('block.purge', caller, { roots: [...roots], confirmed: true });
  assert.ok(purged.ok, JSON.stringify(purged));
  await engine.close();
}

test(
  '[SE70] what one process has entered is found by all, and what each has not is entered first',
  { skip },
  async (t) => {
    await withPostgresWorld(t, { every: 3 }, async (world) => {
      const [first, second] = [await world.root(), await world.root()];
      await world.say(first, 'alpha one');
      const other = world.another();
      assert.deepEqual(await ask(world.index, 'alpha', [first, second]), [['alpha one'], []]);
      const rows = await world.schema.query('SELECT id FROM loom.stretches ORDER BY id');
      assert.deepEqual(await ask(other, 'ALPHA', [second, first]), [[], ['alpha one']]);
      assert.deepEqual(await world.schema.query('SELECT id FROM loom.stretches ORDER BY id'), rows, 'entered once');
      await world.say(second, 'Alpha two');
      assert.deepEqual(await ask(other, 'alpha', [first, second]), [['alpha one'], ['Alpha two']]);
      await world.find({ query: 'alph[a-z]', ignore_case: true });
    });
  },
);

test(
  '[SE71] a conversation that is purged leaves the index in the same moment, and nothing of it is found',
  { skip },
  async (t) => {
    await withPostgresWorld(t, {}, async (world) => {
      const [kept, purged] = [await world.root(), await world.root()];
      await world.say(kept, 'alpha stays');
      await world.say(purged, 'alpha secret');
      await world.index.ready();
      await purge(world, [purged]);
      const rows = await world.schema.query(`SELECT convert_from(log, 'UTF8') AS log FROM loom.stretches`);
      assert.deepEqual(rows, [{ log: kept }]);
      assert.deepEqual(await ask(world.index, 'secret', [kept, purged]), [[], []]);
      assert.deepEqual(await ask(world.index, 'alpha', [kept, purged]), [['alpha stays'], []]);
    });
  },
);

test(
  '[SE72] one of the processes that follow enters what is written, and another when that one ends',
  { skip },
  async (t) => {
    /** An index whose clock is ticked by hand. */
    const ticking = (world: PostgresWorld) => {
      let go = (): void => undefined;
      let waiting = Promise.withResolvers<void>();
      const after = (_milliseconds: number, next: () => void) => {
        go = next;
        waiting.resolve();
        return () => undefined;
      };
      const index = world.another({ after });
      index.follow();
      const tick = async (): Promise<void> => {
        await waiting.promise;
        waiting = Promise.withResolvers<void>();
        go();
        await waiting.promise;
      };
      return { index, tick };
    };
    await withPostgresWorld(t, {}, async (world) => {
      const entered = async (): Promise<string[]> =>
        (await world.schema.query(`SELECT convert_from(log, 'UTF8') AS log FROM loom.search_logs ORDER BY log`)).map(
          ({ log }) => String(log),
        );
      const [keeper, beside] = [ticking(world), ticking(world)];
      const first = await world.root();
      await keeper.tick();
      assert.deepEqual(await entered(), [first]);
      const second = await world.root();
      for (let ticks = 0; ticks < 8; ticks += 1) await beside.tick();
      assert.deepEqual(await entered(), [first], 'the other one leaves it to the keeper');
      await keeper.tick();
      assert.deepEqual(await entered(), [first, second]);
      await keeper.index.close();
      const third = await world.root();
      for (let ticks = 0; ticks < 4; ticks += 1) await beside.tick();
      assert.deepEqual(await entered(), [first, second, third]);
    });
  },
);

test('[SE73] rows of the index may be lost or damaged at any moment, and no answer changes', { skip }, async (t) => {
  await withPostgresWorld(t, {}, async (world) => {
    const root = await world.root();
    for (let count = 0; count < 5; count += 1) await world.say(root, `alpha ${count} ${'beta '.repeat(count * 200)}`);
    const harms = [
      'TRUNCATE loom.search_logs CASCADE',
      'DELETE FROM loom.search_logs',
      `UPDATE loom.stretches SET text = 'x'`,
      `UPDATE loom.stretches SET blocks = ''`,
    ];
    for (const harm of harms) {
      assert.equal((await world.find({ query: 'alpha' })).blocks.length, 5);
      await world.schema.query(harm);
      // Another process has none of it in memory.
      assert.ok([undefined, 4].includes((await ask(world.another(), 'beta (beta|x)', [root]))[0]?.length), harm);
      assert.equal((await world.find({ query: 'beta (beta|x)' })).blocks.length, 4, harm);
      await world.say(root, 'something else');
    }
  });
});

test(
  '[SE74] what there is no time for is left for the next page, and all pages together find everything',
  { skip },
  async (t) => {
    await withPostgresWorld(t, { patience: 40, milliseconds: 1, steps: 500_000, every: 50 }, async (world) => {
      const roots = [await world.root(), await world.root()];
      const block = `${'ab'.repeat(40)}!\n`.repeat(40);
      for (let count = 0; count < 80; count += 1)
        await world.say(roots[count % 2] ?? '', `${count} ${block}${count % 7 === 0 ? 'ab5' : ''}`);
      const query = '(a|b|ab)+[0-9]$';
      const first = await world.tools.searchAll({ query });
      assert.ok('next' in first && !first.complete, JSON.stringify(first));
      const { blocks, complete } = await world.find({ query });
      assert.deepEqual([blocks.length, complete], [12, true]);
    });
  },
);

test('[SE75] a thread that dies, or a database that is gone, costs nothing but time', { skip }, async (t) => {
  await withPostgresWorld(t, {}, async (world) => {
    const root = await world.root();
    await world.say(root, 'alpha');
    const dying = world.another({ script: new URL('data:text/javascript,process.exit(1)') });
    assert.deepEqual(await ask(dying, 'alpha', [root]), [undefined]);
    await world.schema.query('ALTER TABLE loom.stretches RENAME TO elsewhere');
    assert.deepEqual(await ask(world.another(), 'alpha', [root]), [undefined]);
  });
});
