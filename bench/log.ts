// Durable appends of the SQLite store, beside bare node:sqlite that makes the same rows durable one by one, in the same run.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Store } from '@loom/kernel';
import { openSqliteStore } from '@loom/stores/sqlite';
import { median, printHeader, printRatio } from './measure.ts';

const appends = 512;
const rounds = 9;
const writers = [1, 8, 64];
/** A change of a streamed answer: one op with a line of text, and what is around it. */
const text = JSON.stringify({ seq: 1, at: '2030-01-01T00:00:00.000Z', agent: 'demo:demo', ops: ['x'.repeat(220)] });

const directory = mkdtempSync(join(tmpdir(), 'loom-bench-log-'));
try {
  const store = await openSqliteStore({ directory: join(directory, 'store') });
  using bare = openBare(join(directory, 'bare.db'));
  const insert = bare.prepare('INSERT INTO records (text) VALUES (?)');
  const insertAll = (): Promise<void> => {
    for (let index = 0; index < appends; index += 1) insert.run(text);
    return Promise.resolve();
  };

  const bareTimes: number[] = [];
  const storeTimes = writers.map((): number[] => []);
  // They take turns, so that a slow moment of the machine hits all of them alike. The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const times = [await time(insertAll)];
    for (const count of writers) times.push(await time(() => appendAll(store, count, `${round} of ${count}`)));
    if (round === 0) continue;
    bareTimes.push(times[0] ?? 0);
    for (const [index, list] of storeTimes.entries()) list.push(times[index + 1] ?? 0);
  }
  await store.close();

  printHeader('log');
  const against = median(bareTimes);
  console.log(`  bare node:sqlite, WAL and FULL, one row after the other: ${rate(against)} rows/s`);
  for (const [index, count] of writers.entries()) {
    const milliseconds = median(storeTimes[index] ?? []);
    const who = count === 1 ? '1 writer' : `${count} writers at once`;
    printRatio(`${who}, ${rate(milliseconds)} appends/s; ${appends} appends ÷ bare rows`, milliseconds, against);
  }
} finally {
  rmSync(directory, { recursive: true });
}

function openBare(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE records (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT');
  return database;
}

/** So many writers share the appends, each with a log of its own, in which each append waits for the one before. */
async function appendAll(store: Store, count: number, name: string): Promise<void> {
  const work = Array.from({ length: count }, async (_, writer) => {
    let epoch: string | undefined;
    for (let seq = 1; seq <= appends / count; seq += 1) {
      const request = { epoch, expectedSeq: seq - 1, records: [{ seq, text }] };
      const result = await store.append(`${name}, ${writer}`, request);
      if (!result.ok) throw new Error('nobody else writes to this log, so there can be no conflict');
      epoch = result.epoch;
    }
  });
  await Promise.all(work);
}

async function time(work: () => Promise<void>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function rate(milliseconds: number): string {
  return Math.round((appends / milliseconds) * 1000).toLocaleString('en');
}
