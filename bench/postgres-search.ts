// Searches 100 MB of conversations in PostgreSQL through the block tools: words, expressions and what matches nearly everywhere, while
// nothing else is written, and once while appends go on. DATABASE_URL names a database; without one a private server is started.
import { loadavg } from 'node:os';
import { Forest } from '@loom/kernel/logs';
import { BlockTools } from '@loom/kernel/testing';
import { openPostgresStore, openPostgresTextIndex } from '@loom/stores/postgres';
import { bareConnections, startServer } from '@loom/stores/postgres/testing';
import { machineClock, printHeader, printTime } from './measure.ts';
import { SampleText } from './sample-text.ts';

const conversations = Number(process.env['BENCH_ROOTS'] ?? 1_000);
const blocksOfEach = 125;
const blockLength = 800;
const rounds = 5;
const limit = 300;

const queries = {
  'rare words': ['frobnicated quokka', 'interleavings', 'disposable', '龘龘靐'],
  'expressions with a literal': [
    'zyx[a-z]+frob',
    '\\bquokka-[0-9]{3}\\b',
    '(?i)FROBNICATED [a-z]+',
    'tombstone[a-z]*[,:] hidden',
  ],
  'frequent words': ['surrogate', 'const answer = ', 'conversations', '(returns|answers) the'],
  'expressions without a literal': ['[0-9]{4}', '\\b[a-z]{7,}ing\\b', '[A-Z][a-z]{13,}', '^\\s*\\} else'],
};

printHeader('postgres-search');
const server = process.env['DATABASE_URL'] === undefined ? await startServer({ isDurable: true }) : undefined;
const base = new URL(process.env['DATABASE_URL'] ?? server?.url ?? '');
base.searchParams.set('schema', 'bench_search');
const url = base.href;
const pool = bareConnections(process.env['DATABASE_URL'] ?? server?.url ?? '');
await pool.query('DROP SCHEMA IF EXISTS bench_search CASCADE');
const store = await openPostgresStore({ url });
let lastId = 0;
const ids = { next: () => String((lastId += 1)).padStart(8, '0') };
const forest = new Forest({ store, clock: machineClock, ids });
const sample = new SampleText(7);
const roots: string[] = [];
for (let count = 0; count < conversations; count += 1) roots.push(await fill());
const bytes = conversations * blocksOfEach * blockLength;
const index = openPostgresTextIndex({ url, store });
const begun = performance.now();
await index.ready();
const seconds = (performance.now() - begun) / 1000;
console.log(
  `  ${(bytes / 1e6).toFixed(0)} MB in ${conversations} conversations entered in ${seconds.toFixed(0)} s; load ${loadNow()}`,
);
await printSizes();
const tools = new BlockTools({ forest, ids, index });
for (const [kind, list] of Object.entries(queries)) await measure(kind, list);
const stopping = new AbortController();
const writing = writeOn(stopping.signal);
await measure('rare words while 20 conversations are written to', queries['rare words']);
stopping.abort();
await writing;
await index.close();
await store.close();
await pool.query('DROP SCHEMA bench_search CASCADE');
await pool.end();
await server?.stop();

async function fill(): Promise<string> {
  const by = { agent: 'ann', id: ids.next() };
  const created = await forest.createRoot(by);
  if (!created.ok) throw new Error('no conversation');
  const { root } = created.value;
  const messages = Array.from({ length: blocksOfEach }, (_, place) => {
    const rare = (lastId * blocksOfEach + place) % 9_973 === 0 ? 'frobnicated quokka-123 ' : '';
    const text = `${rare}${sample.block(blockLength - rare.length)}`;
    const content: [{ type: 'text'; text: string }] = [{ type: 'text', text }];
    return { role: 'user' as const, content };
  });
  await forest.append({ agent: 'ann', id: ids.next() }, root, { parent: root, messages });
  await forest.log(root).release();
  return root;
}

async function measure(kind: string, list: readonly string[]): Promise<void> {
  const times: number[] = [];
  let first = 0;
  let unfinished = 0;
  for (let round = 0; round < rounds; round += 1) {
    for (const query of list) {
      const start = performance.now();
      const page = await tools.searchAll({ query, ignore_case: round % 2 === 1 });
      times.push(performance.now() - start);
      if ('refusal' in page) throw new Error(JSON.stringify(page.refusal));
      if (round === 0) first = Math.max(first, times.at(-1) ?? 0);
      if (!page.complete && page.blocks.length < 100) unfinished += 1;
    }
  }
  times.sort((one, other) => one - other);
  const middle = times[Math.floor(times.length / 2)] ?? Number.NaN;
  console.log(
    `  ${kind}: p50 ${middle.toFixed(0)} ms, first round at most ${first.toFixed(0)} ms, ${unfinished} of ${times.length} pages ended before they were full; load ${loadNow()}`,
  );
  printTime(`${kind}, p95`, times[Math.floor(times.length * 0.95)] ?? Number.NaN, limit);
}

async function writeOn(signal: AbortSignal): Promise<void> {
  const written = roots.slice(-20);
  for (let count = 0; !signal.aborted; count += 1) {
    const root = written[count % written.length] ?? '';
    await forest.append({ agent: 'ann', id: ids.next() }, root, {
      parent: root,
      messages: [{ role: 'user', content: [{ type: 'text', text: sample.block(200) }] }],
    });
  }
}

async function printSizes(): Promise<void> {
  const { rows } = await pool.query<{ rows: string; words: string }>(
    `SELECT pg_total_relation_size('bench_search.stretches') - pg_relation_size('bench_search.stretches_by_words') AS rows,
       pg_relation_size('bench_search.stretches_by_words') AS words`,
  );
  const share = (size: unknown): string => (Number(size) / bytes).toFixed(2);
  console.log(
    `  the index takes ${share(rows[0]?.rows)} of the text for its rows and ${share(rows[0]?.words)} for the words of trigrams`,
  );
}

function loadNow(): string {
  return loadavg()[0]?.toFixed(0) ?? '?';
}
