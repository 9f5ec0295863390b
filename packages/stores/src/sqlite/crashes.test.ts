import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import { endOfShare, rounds, runs, sampleOfRun, tellTried } from '@loom/blocks/testing';
import { StoreError } from '@loom/kernel/store';
import { connectDatabase } from './database.ts';
import type { DiskImage } from './testing/crash-images.ts';
import { crashImages } from './testing/crash-images.ts';
import { describeDatabase, liveMoments } from './testing/crash-workload.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';
import { seededRandom } from '@loom/kernel/testing';

// A deep run sets more: a thousand take three seconds. One life of a store has more than that.
const crashPoints = Number(process.env['LOOM_CRASH_POINTS'] ?? 1500);

/** The distance between the points of a life that are tried, others for each commit. */
const stride = runs(2, 1);
const firstSeed = 1 + (sampleOfRun() % 100_000);

test('[SQ24] wherever the power is cut, the database holds all that was acknowledged, and a commit as a whole or not at all', async (t) => {
  let points = 0;
  const end = endOfShare();
  for (const round of rounds(() => points >= crashPoints)) {
    points += await cutEverywhere(t, firstSeed + round - 1, (database) => database, { every: stride, end });
  }
  tellTried(t, points, `crash points from seed ${firstSeed} on`);
});

const faults: Record<string, (database: DatabaseSync) => DatabaseSync> = {
  'commits that are not synced': (database) => {
    database.exec('PRAGMA synchronous = NORMAL');
    return database;
  },
  'answers before the commit': (database) => {
    const exec = database.exec.bind(database);
    database.exec = (sql) => {
      if (sql.startsWith('BEGIN') && database.isTransaction) exec('COMMIT');
      if (sql !== 'COMMIT') exec(sql);
    };
    return database;
  },
  'a commit for each statement': (database) => {
    const exec = database.exec.bind(database);
    database.exec = (sql) => (sql === 'COMMIT' || sql.startsWith('BEGIN') ? undefined : exec(sql));
    return database;
  },
};

for (const [name, plant] of Object.entries(faults)) {
  test(`[SQ24] the power cuts find a planted fault: ${name}`, async (t) => {
    await assert.rejects(cutEverywhere(t, 1, plant), isFinding);
  });
}

/** Returns true if something is missing, torn or unreadable. */
function isFinding(error: unknown): boolean {
  return error instanceof assert.AssertionError || (error instanceof StoreError && error.code === 'store-corrupt');
}

/** So many are tried of a life when the time is over before it begins. */
const leastPoints = 200;

/** Cuts the power at every point of one life of a store, or at one in so many. Returns how often. */
async function cutEverywhere(
  t: TestContext,
  seed: number,
  plant: (database: DatabaseSync) => DatabaseSync,
  { every = 1, end = Infinity } = {},
): Promise<number> {
  const { path } = temporaryDirectory(t);
  const random = seededRandom(seed);
  let [points, tried] = [0, 0];
  let before: { acknowledged: string; synced: DiskImage } | undefined;
  for await (const { acknowledged, image, synced } of liveMoments(t, seed, plant)) {
    if (before !== undefined) {
      for (const crashed of crashImages(before.synced, image, random)) {
        points += 1;
        if ((points + seed) % every !== 0) continue;
        if (tried >= leastPoints && Date.now() > end) return tried;
        tried += 1;
        const found = revive(path, crashed);
        const isKnown: boolean = found === acknowledged || (found === before.acknowledged && crashed !== image);
        assert.ok(isKnown, `seed ${seed}, point ${points}: found\n${found}\nafter\n${before.acknowledged}`);
      }
    }
    before = { acknowledged, synced };
  }
  return tried;
}

/** Opens the remains of a power cut, as Loom does. */
function revive(directory: string, { database: bytes, wal }: DiskImage): string {
  const path = join(directory, 'loom.db');
  rmSync(`${path}-shm`, { force: true });
  writeFileSync(path, bytes);
  writeFileSync(`${path}-wal`, wal);
  using database = connectDatabase(path);
  // Only for the closing, whose syncs would take longer than all the rest.
  database.exec('PRAGMA synchronous = OFF');
  return describeDatabase(database);
}
