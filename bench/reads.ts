// The waits of readers beside writers: `root.get` of conversations in which a model speaks, `root.list`, and the first page of a
// conversation that is opened, asked over HTTP and WebSocket of `loom serve` while so many turns of the demo stream, against the same
// beside none.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { encodeFrame, protocol } from '@loom/sync';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { printHeader, printRatio, printTime } from './measure.ts';

// Fewer for a quick look, or a model that speaks faster: node bench/reads.ts 50 long
const turns = Number(process.argv[2] ?? 300);
const model = process.argv[3] ?? 'slow';
const rounds = 40;
const readLimit = 200;
const feedLimit = 1000;

const ready = z.looseObject({ url: z.string(), token: z.string() });
const answer = z.looseObject({ value: z.looseObject({}) });
const created = z.object({ value: z.object({ root: z.string() }) });
const appended = z.object({ value: z.object({ nodes: z.array(z.string()) }) });
const listed = z.object({ value: z.object({ items: z.array(z.looseObject({ running: z.array(z.string()) })) }) });
const startedTurns = z.object({ value: z.object({ turns: z.array(z.string()) }) });
const ticketed = z.object({ value: z.object({ ticket: z.string() }) });

const directory = mkdtempSync(join(tmpdir(), 'loom-bench-reads-'));
const program = join(import.meta.dirname, '..', 'packages', 'loom', 'src', 'main.ts');
const child = spawn(process.execPath, [program, 'serve', '--port', '0', '--json', '--data-dir', directory], {
  stdio: ['ignore', 'pipe', 'inherit'],
});

try {
  const { url, token } = ready.parse(JSON.parse(await firstLine()));
  const call = async (name: string, params: object): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}/api/v1/${name}`, { method: 'POST', headers, body: JSON.stringify(params) });
    return response.json();
  };
  const connect = async (): Promise<WebSocket> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const response = await fetch(`${url}/auth/ticket`, { method: 'POST', headers });
    const { ticket } = ticketed.parse(await response.json()).value;
    const socket = new WebSocket(`${url.replace('http', 'ws')}/api/v1/feed?ticket=${ticket}`);
    await once(socket, 'open');
    return socket;
  };
  printHeader('reads');
  const questions: Question[] = [];
  for (let count = 0; count < turns; count += 1) questions.push(await ask(call));
  const idle = await measure(call, connect, questions);
  const measured = new AbortController();
  const speaking = questions.map(async (question) => {
    while (!measured.signal.aborted) await speak(call, question, measured.signal);
  });
  while ((await countRunning(call)) < turns) await delay(200);
  const cpu = cpuOfServer();
  const begun = performance.now();
  const busy = await measure(call, connect, questions);
  const used = ((cpuOfServer() - cpu) / (performance.now() - begun)) * 100;
  console.log(
    `  ${await countRunning(call)} of ${turns} turns streamed at the end; the server used ${used.toFixed(0)} % of a core`,
  );
  measured.abort();
  for (const one of speaking) one.catch(() => {});
  for (const [name, limit] of [
    ['root.get', readLimit],
    ['root.list', readLimit],
    ['feed', feedLimit],
  ] as const) {
    printTime(`${name} beside ${turns} turns, p95`, p95(busy[name]), limit);
    printRatio(`${name}, p95 beside ${turns} turns ÷ beside none`, p95(busy[name]), p95(idle[name]));
  }
} finally {
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
  rmSync(directory, { recursive: true });
}

interface Question {
  root: string;
  node: string;
}

type Call = (name: string, params: object) => Promise<unknown>;
type Times = Record<'root.get' | 'root.list' | 'feed', number[]>;

async function ask(call: Call): Promise<Question> {
  const { root } = created.parse(await call('root.create', {})).value;
  const messages = [{ role: 'user', content: [{ type: 'text', text: 'Tell me a story' }] }];
  const { nodes } = appended.parse(await call('node.append', { parent: root, messages })).value;
  return { root, node: nodes[0] ?? '' };
}

/** Lets the model answer once, and waits for the end. */
async function speak(call: Call, { root, node }: Question, { aborted }: AbortSignal): Promise<void> {
  const { turns: started } = startedTurns.parse(await call('turn.start', { node, provider: 'demo', model })).value;
  const [turn = ''] = started;
  if (!aborted) await call('turn.wait', { root, turn });
}

async function countRunning(call: Call): Promise<number> {
  const { items } = listed.parse(await call('root.list', { limit: turns })).value;
  return items.filter(({ running }) => running.length > 0).length;
}

/** Returns the CPU time of the server in milliseconds, all threads together. */
function cpuOfServer(): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

async function measure(
  call: Call,
  connect: () => Promise<WebSocket>,
  questions: readonly { root: string }[],
): Promise<Times> {
  const times: Times = { 'root.get': [], 'root.list': [], feed: [] };
  for (let round = 0; round < rounds; round += 1) {
    const root = questions[(round * 7) % questions.length]?.root ?? '';
    times['root.get'].push(await timed(async () => answer.parse(await call('root.get', { root }))));
    times['root.list'].push(await timed(async () => answer.parse(await call('root.list', { limit: 100 }))));
    if (round % 4 === 0) times.feed.push(await timed(() => joinFeed(connect, root)));
  }
  return times;
}

/** Joins a feed from nothing to the first page of a conversation, as a page that is opened does it. */
async function joinFeed(connect: () => Promise<WebSocket>, root: string): Promise<void> {
  const socket = await connect();
  socket.send(encodeFrame({ type: 'join', id: 'j', protocol, root, scope: 'whole' }));
  await once(socket, 'message');
  socket.terminate();
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}

function p95(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * 0.95))] ?? Number.NaN;
}

async function firstLine(): Promise<string> {
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('the server did not start');
}
