// The store in PostgreSQL beside bare statements of the driver, with as many processes and batches of the same size; the delay to another
// process; pages of a list of 10,000 conversations through the engine, and beginning conversations beside them. DATABASE_URL names a database; without one a private server is started, which waits for the disk.
import { fork } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { loadavg } from 'node:os';
import { LoomEngine } from '@loom/kernel';
import type { Caller } from '@loom/kernel';
import type { Store } from '@loom/kernel/store';
import { openPostgresStore } from '@loom/stores/postgres';
import { bareConnections, startServer } from '@loom/stores/postgres/testing';
import { machineClock, median, printHeader, printTime } from './measure.ts';

const record = JSON.stringify({
  ops: [{ type: 'text-appended', block: 'b', text: 'some words of an answer ' }],
}).padEnd(300);
const logsOfProcess = 100;
const seconds = 4;
/** Appends through the store, as a share of bare inserts by as many processes in batches of the same size. */
const leastShare = 0.4;

const [role, url = '', name = ''] = process.argv.slice(2);
if (role === 'store') await appendThroughStore();
else if (role === 'listener') await listenForDelay();
else if (role === 'creator') await createConversations();
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
        `  appends to ${logsOfProcess} logs by each of ${processes} processes: ${rates} = ${(store / bare).toFixed(2)} (${
          store / bare >= leastShare ? 'within' : 'BELOW'
        } the limit of ${leastShare}); load ${loadNow()}`,
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
async function run(what: 'store' | 'bare' | 'creator', base: string, processes: number): Promise<number> {
  if (what === 'store') await (await openPostgresStore({ url: urlOf(base, 'bench_store') })).close();
  if (what === 'bare') await makeBareTables(base);
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
async function measureRate(
  createWriter: (index: number) => Promise<() => Promise<void>>,
  count = logsOfProcess,
): Promise<number> {
  const writers = await Promise.all(Array.from({ length: count }, (_, index) => createWriter(index)));
  await Promise.all(writers.map((write) => write()));
  const begun = performance.now();
  let written = 0;
  await Promise.all(
    writers.map(async (write) => {
      while (performance.now() - begun < seconds * 1000) {
        await write();
        written += 1;
      }
    }),
  );
  return written / ((performance.now() - begun) / 1000);
}

/** The time from before an append to the wake of a listener in another process, while nothing else is written. */
async function measureDelay(base: string): Promise<void> {
  const writer = await openPostgresStore({ url: urlOf(base, 'bench_store') });
  const log = `delay ${Date.now()}`;
  const listener = fork(import.meta.filename, ['listener', base, log]);
  await once(listener, 'message');
  const times: number[] = [];
  let epoch: string | undefined;
  for (let seq = 0; seq < 200; seq += 1) {
    const begun = performance.timeOrigin + performance.now();
    const heard = once(listener, 'message');
    const result = await writer.append(log, { epoch, expectedSeq: seq, records: [{ seq: seq + 1, text: record }] });
    if (result.ok) epoch = result.epoch;
    const messages: unknown[] = await heard;
    times.push(Number(messages[0]) - begun);
  }
  listener.disconnect();
  await writer.close();
  times.sort((one, other) => one - other);
  console.log(`  from an append to another process, p50: ${median(times).toFixed(1)} ms; load ${loadNow()}`);
  printTime('from an append to another process, p95', times[Math.floor(times.length * 0.95)] ?? Number.NaN, 30);
}

/** Tells its parent when it has heard of each change of a log. */
async function listenForDelay(): Promise<void> {
  const store = await openPostgresStore({ url: urlOf(url, 'bench_store') });
  let last = 0;
  store.listen(name, (seq = 0) => {
    if (seq <= last) return;
    last = seq;
    process.send?.(performance.timeOrigin + performance.now());
  });
  process.once('disconnect', () => void store.close());
  process.send?.('listening');
}

/** Pages of the list as the page asks for them, through the engine; and how fast several processes begin conversations beside 10,000. */
async function measureList(base: string): Promise<void> {
  const store = await openPostgresStore({ url: urlOf(base, 'bench_list') });
  const engine = openEngine(store, 'list');
  for (let from = 0; from < 10_000; from += 500) {
    const made = await Promise.all(Array.from({ length: 500 }, () => engine.call('root.create', owner(), {})));
    if (made.some(({ ok }) => !ok)) throw new Error('a conversation was not begun');
  }
  const times: number[] = [];
  let after: string | undefined;
  for (let page = 0; page < 100; page += 1) {
    const begun = performance.now();
    const listed = await engine.call('root.list', owner(), { limit: 100, ...(after === undefined ? {} : { after }) });
    times.push(performance.now() - begun);
    if (!listed.ok) throw new Error(JSON.stringify(listed.refusal));
    after = listed.value.next;
  }
  await engine.close();
  await store.close();
  times.sort((one, other) => one - other);
  console.log(
    `  root.list, a page of 100 of 10,000, p95: ${(times[95] ?? Number.NaN).toFixed(1)} ms; load ${loadNow()}`,
  );
  printTime('root.list through the engine, a page of 100 of 10,000 conversations, p50', median(times), 20);
  for (const processes of [1, 3]) {
    const rate = await run('creator', base, processes);
    console.log(
      `  conversations begun by ${processes} processes beside 10,000: ${Math.round(rate)}/s; load ${loadNow()}`,
    );
  }
}

/** Begins conversations, twenty at a time. */
async function createConversations(): Promise<void> {
  const store = await openPostgresStore({ url: urlOf(url, 'bench_list') });
  const engine = openEngine(store, name);
  await engine.forest.roots();
  const rate = await measureRate(
    async () => async () => {
      const made = await engine.call('root.create', owner(), {});
      if (!made.ok) throw new Error(JSON.stringify(made.refusal));
    },
    20,
  );
  await engine.close();
  await store.close();
  process.send?.(rate);
}

function openEngine(store: Store, holder: string): LoomEngine {
  const hash = { hex: (text: string) => createHash('sha256').update(text).digest('hex') };
  return new LoomEngine({ clock: machineClock, ids: { next: nextId }, hash, providers: [], tools: [], store, holder });
}

function owner(): Caller {
  return { agent: 'person', type: 'person', role: 'owner', door: 'library', id: nextId() };
}

function nextId(): string {
  return randomUUID().replaceAll('-', '');
}

function loadNow(): string {
  return loadavg()[0]?.toFixed(0) ?? '?';
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
