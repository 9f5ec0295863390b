// Durable appends of the SQLite store, beside bare node:sqlite that makes the same rows durable one by one, in the same run; and how
// long the event loop is kept from its other work meanwhile.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { DatabaseSync } from 'node:sqlite';
import type { Store } from '@loom/kernel/store';
import { openSqliteStore } from '@loom/stores/sqlite';
import { median, printHeader } from './measure.ts';

/** The number of appends: each of the writers makes some tens, and the one that begins a log goes on with it. */
const appends = 2048;
const rounds = 15;
/** The writers at once, and the multiple of the bare rows that they have to reach together. */
const writers = [
  { count: 1, goal: 0.5 },
  { count: 8, goal: 3 },
  { count: 64, goal: 6 },
];
/** A change of a streamed answer: one op with a line of text, and its envelope. */
const text = JSON.stringify({ seq: 1, at: '2030-01-01T00:00:00.000Z', agent: 'demo:demo', ops: ['x'.repeat(220)] });

const directory = mkdtempSync(join(tmpdir(), 'loom-bench-stores-'));
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
  const ratios = writers.map((): number[] => []);
  // They alternate, and each is compared with the bare rows of its own round, so that a slow moment of the machine hits both alike. The
  // first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    const against = await time(insertAll);
    if (round > 0) bareTimes.push(against);
    for (const [index, { count }] of writers.entries()) {
      const milliseconds = await time(() => appendAll(store, count, `${round} of ${count}`));
      if (round === 0) continue;
      storeTimes[index]?.push(milliseconds);
      ratios[index]?.push(against / milliseconds);
    }
  }
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let round = 0; round < rounds; round += 1) await appendAll(store, 8, `${round} beside a timer`);
  delay.disable();
  await store.close();

  printHeader('stores');
  console.log(`  bare node:sqlite, WAL and FULL, one row after the other: ${rate(median(bareTimes))} rows/s`);
  for (const [index, { count, goal }] of writers.entries()) {
    const milliseconds = median(storeTimes[index] ?? []);
    const times = median(ratios[index] ?? []);
    const verdict = `${times >= goal ? 'reaches' : 'MISSES'} the goal of ${goal} ×`;
    console.log(
      `  ${`${count}`.padStart(2)} writers at once: ${rate(milliseconds)} appends/s, ${times.toFixed(2)} × bare (${verdict})`,
    );
  }
  const late = (percent: number): string => (delay.percentile(percent) / 1e6).toFixed(1);
  console.log(
    `  meanwhile a timer of 1 ms comes after ${late(50)} ms (median), ${late(99)} ms (p99), ${late(100)} ms (worst)`,
  );
} finally {
  rmSync(directory, { recursive: true });
}

function openBare(path: string): DatabaseSync {
  const database = new DatabaseSync(path);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
  database.exec('CREATE TABLE records (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT');
  return database;
}

/** Appends with so many writers, each on a separate log, in which each append waits for the one before. */
async function appendAll(store: Store, count: number, name: string): Promise<void> {
  const work = Array.from({ length: count }, async (_, writer) => {
    let epoch: string | undefined;
    for (let seq = 1; seq <= appends / count; seq += 1) {
      const request = { epoch, expectedSeq: seq - 1, records: [{ seq, text }] };
      const result = await store.append(`${name}, ${writer}`, request);
      if (!result.ok) throw new Error('no other writer has this log, so there can be no conflict');
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
