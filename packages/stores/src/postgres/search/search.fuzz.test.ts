import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rounds, tellTried } from '@loom/blocks/testing';
import { Random } from '@loom/kernel/testing';
import { differences } from '../../search/testing/search-differences.ts';
import { noDatabase } from '../testing/database.ts';
import { withPostgresWorld } from './testing/postgres-world.ts';

/** The number of searches tried; the deep run tries more. */
const searches = Number(process.env['LOOM_SEARCHES'] ?? 300);
const seed = Number(process.env['LOOM_SEED'] ?? Date.now() % 1_000_000);

/** Searches in one schema, which grows meanwhile. */
const atOnce = 100;
const skip = noDatabase;

test(
  '[SE60] searches in PostgreSQL find what a plain scan of the logs finds, in both cases, while others write',
  { skip },
  async (t) => {
    let tried = 0;
    for (const round of rounds((done) => done * atOnce >= searches)) {
      await withPostgresWorld(t, { every: 5 }, async (world) => {
        const [first, ...more] = await differences(world, new Random(seed + round), atOnce);
        assert.equal(first, undefined, `LOOM_SEED=${seed + round - 1}: ${first} and ${more.length} others`);
      });
      tried = round * atOnce;
    }
    tellTried(t, tried, 'searches');
  },
);

test('[SE60] the comparison notices an index in PostgreSQL that has lost trigrams', { skip }, async (t) => {
  await withPostgresWorld(t, { every: 5 }, async (world) => {
    const spoil = () => world.schema.query(`UPDATE loom.stretches SET words = '{}' WHERE id % 2 = 1`);
    assert.notEqual((await differences(world, new Random(1), 30, spoil)).length, 0);
  });
});
