// Three processes of `loom serve` on one database, turns that stream in many conversations, and subscribers of them at all processes: how
// long a word takes to its readers, and what the processes and the database use. Arguments: seconds (300), turns (300), subscribers (2,000).
// DATABASE_URL names a database; without one a private server is started, which waits for the disk.
import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { LoomClient } from '@loom/client';
import { bareConnections, startServer } from '@loom/stores/postgres/testing';
import { encodeFrame, protocol } from '@loom/sync';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { machineClock, printHeader } from './measure.ts';

const [seconds = 300, turns = 300, subscribers = 2_000] = process.argv.slice(2).map(Number);
const machines = 3;
const readersOfToken = 20;
const ports = {
  fetch,
  clock: machineClock,
  ids: { next: () => randomUUID().replaceAll('-', '') },
  random: Math.random,
};
const ready = z.object({ url: z.string(), token: z.string() });
const ticketAnswer = z.object({ value: z.object({ ticket: z.string() }) });

interface Machine extends z.infer<typeof ready> {
  child: ChildProcess;
  client: LoomClient;
}

printHeader('many-machines');
const folder = mkdtempSync(join(tmpdir(), 'loom-bench-machines-'));
const server = process.env['DATABASE_URL'] === undefined ? await startServer({ isDurable: true }) : undefined;
const base = process.env['DATABASE_URL'] ?? server?.url ?? '';
const database = new URL(base);
database.searchParams.set('schema', 'bench_machines');
const pool = bareConnections(base);
const running: Machine[] = [];
const delays: number[] = [];
let frames = 0;
let failures = 0;
try {
  for (let index = 0; index < machines; index += 1) running.push(await startMachine(index));
  console.log(`  at rest: ${describeUse()}; load ${loadNow()}`);
  const tokens = await Promise.all(Array.from({ length: Math.ceil(subscribers / readersOfToken) }, createToken));
  const roots = await Promise.all(Array.from({ length: turns }, (_, index) => begin(machineAt(index))));
  const sockets: WebSocket[] = [];
  // A few at a time: what is measured is not how fast they can connect.
  for (let from = 0; from < subscribers; from += 50) {
    const count = Math.min(50, subscribers - from);
    sockets.push(
      ...(await Promise.all(Array.from({ length: count }, (_, index) => subscribe(from + index, roots, tokens)))),
    );
  }
  console.log(`  ${sockets.length} subscribers: ${describeUse()}; load ${loadNow()}`);
  const stopping = new AbortController();
  const stories = roots.map((root, index) => tellStories(machineAt(index), root, stopping.signal));
  const before = cpuSeconds();
  const begun = performance.now();
  while (performance.now() - begun < seconds * 1000) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(15_000, seconds * 1000)));
    report((performance.now() - begun) / 1000);
  }
  const used = cpuSeconds() - before;
  const took = (performance.now() - begun) / 1000;
  const { rows } = await pool.query<{ count: string }>(
    'SELECT count(*) AS count FROM pg_stat_activity WHERE datname IS NOT NULL',
  );
  console.log(
    `  processor time of ${machines} processes: ${(used / took).toFixed(2)} of a processor; ${describeUse()}`,
  );
  console.log(`  connections to the database: ${rows[0]?.count}; calls that failed: ${failures}`);
  stopping.abort();
  await Promise.all(stories);
  for (const socket of sockets) socket.terminate();
} finally {
  for (const { child } of running) child.kill('SIGKILL');
  await pool.query('DROP SCHEMA IF EXISTS bench_machines CASCADE').catch(() => {});
  await pool.end();
  await server?.stop();
  rmSync(folder, { recursive: true, force: true });
}

async function startMachine(index: number): Promise<Machine> {
  const program = fileURLToPath(new URL('../packages/loom/src/main.ts', import.meta.url));
  const args = ['serve', '--json', '--port', '0', '--data-dir', join(folder, String(index))];
  const env = { ...process.env, LOOM_STORE: database.href };
  const child = spawn(process.execPath, [program, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  if (child.stdout === null) throw new Error('the process says nothing');
  const lines: unknown[] = await once(createInterface({ input: child.stdout }), 'line');
  const place = ready.parse(JSON.parse(String(lines[0])));
  return { ...place, child, client: new LoomClient({ ...place, ...ports }) };
}

function machineAt(index: number): Machine {
  const machine = running[index % running.length];
  if (machine === undefined) throw new Error('no process runs');
  return machine;
}

/** A person for some of the readers: one may have only so many streams at each process. */
async function createToken(_none: unknown, index: number): Promise<string> {
  const params = { agent: `reader-${index}`, type: 'person', role: 'reader' };
  const made = await machineAt(0).client.call<string>('token.create', params);
  return z.object({ value: z.object({ token: z.string() }) }).parse(made).value.token;
}

async function begin({ client }: Machine): Promise<string> {
  const created = await client.call('root.create', {});
  if (!created.ok) throw new Error('no conversation');
  return created.value.root;
}

/** Has a model tell one story after the other. */
async function tellStories({ client }: Machine, root: string, signal: AbortSignal): Promise<void> {
  for (let count = 0; !signal.aborted; count += 1) {
    try {
      const said = await client.call('node.append', {
        parent: root,
        messages: [{ role: 'user', content: `Story ${count}` }],
      });
      const node = said.ok ? (said.value.nodes[0] ?? '') : '';
      const started = await client.call('turn.start', { node, provider: 'demo', model: 'slow' });
      const turn = started.ok ? (started.value.turns[0] ?? '') : '';
      if (turn === '') throw new Error('no turn was started');
      // The story takes ten seconds and more.
      for (let looks = 0; !signal.aborted; looks += 1) {
        await new Promise((resolve) => setTimeout(resolve, looks === 0 ? 10_000 : 2_000));
        const listed = await client.call('turn.list', { root });
        if (!listed.ok || listed.value.items.every(({ ended }) => ended !== undefined)) break;
      }
    } catch {
      failures += 1;
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

/** A reader of one conversation, mostly at another process than the one that writes it. */
async function subscribe(index: number, roots: readonly string[], tokens: readonly string[]): Promise<WebSocket> {
  const { url } = machineAt(index + 1);
  const token = tokens[index % tokens.length] ?? '';
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/auth/ticket`, { method: 'POST', headers });
  const { ticket } = ticketAnswer.parse(await answer.json()).value;
  const socket = new WebSocket(`${url.replace(/^http/u, 'ws')}/api/v1/feed?ticket=${ticket}`, {
    perMessageDeflate: false,
  });
  await once(socket, 'open');
  socket.send(
    encodeFrame({ type: 'join', id: String(index), protocol, root: roots[index % roots.length] ?? '', scope: 'whole' }),
  );
  socket.on('message', (data) => {
    const now = Date.now();
    const text = Buffer.isBuffer(data) ? data.toString() : '';
    frames += 1;
    // The time of a change stands in its frame; both clocks are those of this machine.
    for (const [, time] of text.matchAll(/"type":"change"[^{}]*?"time":(\d+)/gu)) delays.push(now - Number(time));
  });
  return socket;
}

function report(at: number): void {
  const sorted = delays.splice(0).sort((one, other) => one - other);
  const percentile = (share: number): string => (sorted[Math.floor(sorted.length * share)] ?? Number.NaN).toFixed(0);
  console.log(
    `  ${at.toFixed(0)} s: ${sorted.length} changes delivered in ${frames} frames, p50 ${percentile(0.5)} ms, p95 ${percentile(0.95)} ms; ` +
      `${describeUse()}; load ${loadNow()}`,
  );
  frames = 0;
}

function describeUse(): string {
  const megabytes = running.map(({ child }) => Math.round(residentBytes(child.pid ?? 0) / 1e6));
  return `memory ${megabytes.join(' + ')} MB`;
}

function residentBytes(pid: number): number {
  const [, pages = '0'] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ');
  return Number(pages) * 4_096;
}

/** The processor time of all processes so far. */
function cpuSeconds(): number {
  return running.reduce((sum, { child }) => {
    const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8')
      .replace(/^.*\) /u, '')
      .split(' ');
    return sum + (Number(fields[11]) + Number(fields[12])) / 100;
  }, 0);
}

function loadNow(): string {
  return loadavg()[0]?.toFixed(0) ?? '?';
}
