// The store in PostgreSQL beside bare statements of the driver, with as many processes and batches of the same size; the delay to another
// process; a page of a list of 10,000 conversations. DATABASE_URL names a database; without one a private server is started, which waits for the disk.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { openPostgresStore } from '@loom/stores/postgres';
import { bareConnections, startServer } from '@loom/stores/postgres/testing';
import { median, printHeader, printTime } from './measure.ts';

const record = JSON.stringify({
  ops: [{ type: 'text-appended', block: 'b', text: 'some words of an answer ' }],
}).padEnd(300);
const logsOfProcess = 100;
const seconds = 4;

const [role, url = '', name = ''] = process.argv.slice(2);
if (role === 'store') await appendThroughStore();
else if (role === 'bare') await appendBare();
else await measureAll();

async function measureAll(): Promise<void> {
  printHeader('postgres');
  const server = process.env['DATABASE_URL'] === undefined ? await startServer({ isDurable: true }) : undefined;
  const base = process.env['DATABASE_URL'] ?? server?.url ?? '';
  const pool = bareConnections(base);
  try {
    for (const processes of [1, 2, 3]) {
      const [store, bare] = [await run('store', base, processes), await run('bare', base, processes)];
      const rates = `${Math.round(store).toLocaleString('en')}/s ÷ ${Math.round(bare).toLocaleString('en')}/s`;
      console.log(
        `  appends to ${logsOfProcess} logs by each of ${processes} processes: ${rates} = ${(store / bare).toFixed(2)}`,
      );
    }
    await measureDelay(base);
    await measureList(base);
  } finally {
    for (const schema of ['bench_store', 'bench_bare', 'bench_list'])
      await pool.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`);
    await pool.end();
    await server?.stop();
  }
}

/** Appends per second of all processes together. */
async function run(what: 'store' | 'bare', base: string, processes: number): Promise<number> {
  if (what === 'store') await (await openPostgresStore({ url: urlOf(base, 'bench_store') })).close();
  else await makeBareTables(base);
  const children = Array.from({ length: processes }, (_, index) =>
    fork(import.meta.filename, [what, base, `${index} ${Date.now()}`]),
  );
  const rates = await Promise.all(
    children.map(async (child): Promise<number> => {
      const messages: unknown[] = await once(child, 'message');
      return Number(messages[0]);
    }),
  );
  return rates.reduce((sum, rate) => sum + rate, 0);
}

async function appendThroughStore(): Promise<void> {
  const store = await openPostgresStore({ url: urlOf(url, 'bench_store') });
  const rate = await measureRate(async (index) => {
    const log = `${name} ${index}`;
    let epoch: string | undefined;
    let seq = 0;
    return async () => {
      const result = await store.append(log, {
        epoch,
        expectedSeq: seq,
        records: [{ seq: seq + 1, text: record }],
        head: 'same',
      });
      if (!result.ok) throw new Error('a conflict');
      epoch = result.epoch;
      seq += 1;
    };
  });
  await store.close();
  process.send?.(rate);
}

/** Does the least that any store has to do: a row for each record, in statements of as many rows as writers wait, one after the other. */
async function appendBare(): Promise<void> {
  const pool = bareConnections(url);
  let waiting: { index: number; seq: number; done: () => void }[] = [];
  let underWay = 0;
  const flush = async (): Promise<void> => {
    if (underWay >= 2 || waiting.length === 0) return;
    const batch = waiting;
    waiting = [];
    underWay += 1;
    await insert(batch);
    underWay -= 1;
    for (const { done } of batch) done();
    setImmediate(() => void flush());
  };
  const insert = async (batch: typeof waiting): Promise<void> => {
    await pool.query({
      name: 'insert',
      text: 'INSERT INTO bench_bare.records SELECT * FROM unnest($1::text[], $2::bigint[], $3::text[])',
      values: [batch.map(({ index }) => `${name} ${index}`), batch.map(({ seq }) => seq), batch.map(() => record)],
    });
  };
  const rate = await measureRate(async (index) => {
    let seq = 0;
    return () =>
      new Promise<void>((done) => {
        waiting.push({ index, seq: (seq += 1), done });
        setImmediate(() => void flush());
      });
  });
  await pool.end();
  process.send?.(rate);
}

/** Runs writers side by side for some seconds; returns how often they wrote in one. */
async function measureRate(createWriter: (index: number) => Promise<() => Promise<void>>): Promise<number> {
  const writers = await Promise.all(Array.from({ length: logsOfProcess }, (_, index) => createWriter(index)));
  await Promise.all(writers.map((write) => write()));
  const begun = performance.now();
  let count = 0;
  await Promise.all(
    writers.map(async (write) => {
      while (performance.now() - begun < seconds * 1000) {
        await write();
        count += 1;
      }
    }),
  );
  return count / ((performance.now() - begun) / 1000);
}

/** The time from an append to the wake of a listener at another handle, with connections of its own. */
async function measureDelay(base: string): Promise<void> {
  const [writer, reader] = [
    await openPostgresStore({ url: urlOf(base, 'bench_store') }),
    await openPostgresStore({ url: urlOf(base, 'bench_store') }),
  ];
  const times: number[] = [];
  let epoch: string | undefined;
  const log = `delay ${Date.now()}`;
  for (let seq = 0; seq < 200; seq += 1) {
    const begun = performance.now();
    const woken = new Promise<void>((resolve) => {
      const stop = reader.listen(log, (to) => {
        if (to !== seq + 1) return;
        stop();
        resolve();
      });
    });
    const result = await writer.append(log, { epoch, expectedSeq: seq, records: [{ seq: seq + 1, text: record }] });
    if (result.ok) epoch = result.epoch;
    await woken;
    times.push(performance.now() - begun);
  }
  await Promise.all([writer.close(), reader.close()]);
  times.sort((one, other) => one - other);
  printTime('from an append to another handle, p95', times[Math.floor(times.length * 0.95)] ?? Number.NaN, 30);
}

async function measureList(base: string): Promise<void> {
  const store = await openPostgresStore({ url: urlOf(base, 'bench_list') });
  const head = JSON.stringify({ title: 'A conversation about something', running: [], needs: [] }).padEnd(800);
  for (let from = 0; from < 10_000; from += 500) {
    await Promise.all(
      Array.from({ length: 500 }, (_, index) =>
        store.append(`root-${from + index}`, {
          epoch: undefined,
          expectedSeq: 0,
          records: [{ seq: 1, text: record }],
          head: { time: from + index, text: head },
        }),
      ),
    );
  }
  const times: number[] = [];
  let after: { log: string; time: number } | undefined;
  for (let page = 0; page < 100; page += 1) {
    const begun = performance.now();
    const listed = await store.heads({ order: 'newest', limit: 100, ...(after === undefined ? {} : { after }) });
    times.push(performance.now() - begun);
    const last = listed.at(-1);
    after = last?.head === undefined ? undefined : { log: last.log, time: last.head.time };
  }
  await store.close();
  printTime('a page of 100 of 10,000 conversations', median(times), 20);
}

async function makeBareTables(base: string): Promise<void> {
  const pool = bareConnections(base);
  await pool.query(`CREATE SCHEMA IF NOT EXISTS bench_bare;
    CREATE TABLE IF NOT EXISTS bench_bare.records (log text, seq bigint, text text, PRIMARY KEY (log, seq))`);
  await pool.end();
}

function urlOf(base: string, schema: string): string {
  const named = new URL(base);
  named.searchParams.set('schema', schema);
  return named.href;
}
