// `loom serve` over 10,000 conversations: how long from its start to the first answer with a page of the list, how long a page takes, and how much memory
// the process has. And `node.path` of 200 nodes over HTTP, beside bare Hono returning a constant of the same size.
import { execFileSync, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { getRequestListener } from '@hono/node-server';
import type { Outcome } from '@loom/kernel';
import { openLoom } from '@loom/loom';
import { Hono } from 'hono';
import { z } from 'zod';
import { median, printHeader, printRatio, printTime } from './measure.ts';

const greeting = z.object({ url: z.string(), token: z.string(), pid: z.int() });
const page = z.object({ value: z.object({ next: z.string().optional() }) });

/** The number of conversations; fewer for a quick look: node bench/server-lists.ts 1000 */
const conversations = Number(process.argv[2] ?? 10_000);
const rounds = 200;
const starts = 7;
const mostMegabytes = 250;
/** The file with the name of the conversation that is 200 nodes deep. */
const longName = 'long-conversation';
/** The command as it is built: `npm run build` makes it. */
const command = new URL('../loom', import.meta.url).pathname;

printHeader('server-lists');
// Filling takes a minute, and the measurements change nothing that is kept.
const dataDir = new URL(`../.cache/bench/server-lists-${conversations}`, import.meta.url).pathname;
const root = existsSync(dataDir) ? readFileSync(join(dataDir, longName), 'utf8') : await fill();
// Everything to be built is built now.
execFileSync(command, ['--version'], { stdio: 'ignore' });
await measureStart();
const server = await start();
await measurePages(server, 'a page of 100 while the files are looked at');
printMemory(server, 'then');
await measurePath(server, root);
await measurePages(server, 'a page of 100');
printMemory(server, 'at the end');
await stop(server);

interface Serving {
  child: ChildProcess;
  url: string;
  token: string;
  pid: number;
}

/** Returns the conversation that is 200 nodes deep. */
async function fill(): Promise<string> {
  const began = performance.now();
  const unfinished = `${dataDir}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  const long = await fillFolder(unfinished);
  writeFileSync(join(unfinished, longName), long);
  renameSync(unfinished, dataDir);
  console.log(`  ${conversations} conversations in ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return long;
}

async function fillFolder(folder: string): Promise<string> {
  await using loom = await openLoom({ dataDir: folder, storeKind: 'sqlite' });
  const begin = async (length: number): Promise<string> => {
    const { root } = await ask(loom.call('root.create', {}));
    const messages = Array.from({ length }, (_, index) => ({
      role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `${index} ${'word '.repeat(60)}`,
    }));
    await ask(loom.call('node.append', { parent: root, messages }));
    return root;
  };
  const long = await begin(200);
  for (let begun = 1; begun < conversations; begun += 16) {
    await Promise.all(Array.from({ length: Math.min(16, conversations - begun) }, () => begin(2)));
  }
  return long;
}

async function measureStart(): Promise<void> {
  const [times, cpu]: [number[], number[]] = [[], []];
  for (let round = 0; round < starts; round += 1) {
    const began = performance.now();
    const server = await start();
    const first = await post(server, 'root.list', { limit: 100 });
    times.push(performance.now() - began);
    cpu.push(cpuTime(server));
    if (!first.includes('"next"')) throw new Error('there is no second page');
    await stop(server);
  }
  printTime(`from the start of the process to the first page, the middle of ${starts}`, median(times), 1000);
  console.log(`  processor time until then: ${median(cpu)} ms`);
}

async function stop({ child }: Serving): Promise<void> {
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Returns the CPU time of the server so far, in milliseconds. */
function cpuTime({ pid }: Serving): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  const [user, system] = fields.split(' ').slice(11, 13);
  return (Number(user) + Number(system)) * 10;
}

async function start(): Promise<Serving> {
  const child = spawn(command, ['serve', '--json', '--port', '0', '--data-dir', dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines: unknown[] = await once(createInterface({ input: child.stdout }), 'line');
  return { child, ...greeting.parse(JSON.parse(String(lines[0]))) };
}

async function post({ url, token }: Serving, operation: string, params: unknown): Promise<string> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/v1/${operation}`, { method: 'POST', headers, body: JSON.stringify(params) });
  return answer.text();
}

async function measurePages(server: Serving, what: string): Promise<void> {
  const times: number[] = [];
  let after: string | undefined;
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    const text = await post(server, 'root.list', { limit: 100, ...(after === undefined ? {} : { after }) });
    times.push(performance.now() - began);
    after = page.parse(JSON.parse(text)).value.next;
  }
  printTime(`${what}, the middle of ${rounds}`, median(times), 20);
}

function printMemory({ pid }: Serving, when: string): void {
  const [, kilobytes = 'NaN'] = /VmRSS:\s+(\d+)/u.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const megabytes = Number(kilobytes) / 1000;
  const verdict = megabytes <= mostMegabytes ? 'within' : 'ABOVE';
  console.log(`  memory ${when}: ${megabytes.toFixed(0)} MB (${verdict} the limit of ${mostMegabytes} MB)`);
}

/** Measures both in turn, so that other work of the machine concerns both. */
async function measurePath(server: Serving, root: string): Promise<void> {
  const node = `${root}/node-200`;
  const constant = await post(server, 'node.path', { node });
  if (!constant.includes('199 word')) throw new Error(`no path: ${constant.slice(0, 200)}`);
  const app = new Hono().post('/path', async (context) => {
    await context.req.json();
    return context.body(constant, 200, { 'content-type': 'application/json' });
  });
  const bare = createServer((request, response) => void getRequestListener(app.fetch)(request, response));
  await new Promise<void>((resolve) => void bare.listen(0, '127.0.0.1', resolve));
  const address = bare.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}/path`;
  const [own, plain]: [number[], number[]] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now();
    await post(server, 'node.path', { node });
    const between = performance.now();
    const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' });
    await answer.text();
    own.push(between - began);
    plain.push(performance.now() - between);
  }
  bare.close();
  printRatio(
    `node.path of 200 nodes (${Math.round(constant.length / 1000)} KB), beside bare Hono`,
    median(own),
    median(plain),
  );
}

async function ask<T>(asked: Promise<Outcome<T>>): Promise<T> {
  const outcome = await asked;
  if (!outcome.ok) throw new Error(outcome.refusal.reason);
  return outcome.value;
}
