import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { rounds, tellTried } from '@loom/blocks/testing';
import { Random } from '@loom/kernel/testing';
import { differences } from '../../search/testing/search-differences.ts';
import { withSqliteWorld } from './testing/sqlite-world.ts';

/** The number of searches tried; the deep run tries more. */
const searches = Number(process.env['LOOM_SEARCHES'] ?? 300);
const seed = Number(process.env['LOOM_SEED'] ?? Date.now() % 1_000_000);

/** Searches in one folder, which grows meanwhile. */
const atOnce = 100;

test('[SE60] searches find what a plain scan of the logs finds, in both cases, while others write', async (t) => {
  let tried = 0;
  for (const round of rounds((done) => done * atOnce >= searches)) {
    const found: string[] = [];
    await withSqliteWorld({ every: 5 }, async (world) => {
      found.push(...(await differences(world, new Random(seed + round), atOnce)));
    });
    const [first, ...more] = found;
    assert.equal(first, undefined, `LOOM_SEED=${seed + round - 1}: ${first} and ${more.length} others`);
    tried = round * atOnce;
  }
  tellTried(t, tried, 'searches');
});

test('[SE60] the comparison notices an index that has lost trigrams', async () => {
  await withSqliteWorld({ every: 5 }, async (world) => {
    const spoil = (): void => {
      using database = new DatabaseSync(join(world.directory, 'loom.db-search'), { timeout: 600_000 });
      const isMade = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'stretches'").get() !== undefined;
      if (isMade) database.exec('DELETE FROM trigrams WHERE rowid IN (SELECT id FROM stretches WHERE id % 2 = 1)');
    };
    assert.notEqual((await differences(world, new Random(1), 30, spoil)).length, 0);
  });
});
