// The cost of the feed: changes sent to a thousand clients of one conversation, and a thousand clients that come back after a restart, in
// CPU time of the server against a bare WebSocket server that sends the same bytes in the same run; and the time of a word from the buffer
// of its turn, through a durable commit, to its reader, while fifty turns speak at once; and the cost of requests that are made to cost
// much.
import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { encodeFrame, protocol } from '@loom/sync';
import { WebSocket } from 'ws';
import type { RawData } from 'ws';
import { z } from 'zod';
import { printHeader, printRatio, printTime } from './measure.ts';

const about = z.object({ url: z.string(), token: z.string() });
const grown = z.object({ root: z.string(), block: z.string(), cursor: z.object({ epoch: z.string(), seq: z.int() }) });
const flushes = z.array(z.tuple([z.string(), z.object({ begun: z.number(), committed: z.number() })]));
const ticketAnswer = z.object({ value: z.object({ ticket: z.string() }) });
const frames = z.array(z.looseObject({ type: z.string(), seq: z.int().optional() }));

/** A server in a separate process. */
class ServerProcess {
  readonly #child: ChildProcess;
  readonly #kind: string;
  #about: z.infer<typeof about> = { url: '', token: '' };

  private constructor(kind: string, directory: string | undefined) {
    this.#kind = kind;
    const path = fileURLToPath(new URL('server-process.ts', import.meta.url));
    this.#child = fork(path, [kind, ...(directory === undefined ? [] : [directory])]);
  }

  static async start(kind: 'loom' | 'bare', directory?: string): Promise<ServerProcess> {
    const server = new ServerProcess(kind, directory);
    server.#about = about.parse(await server.#hear());
    return server;
  }

  async ask(asked: object): Promise<unknown> {
    this.#child.send(asked);
    return this.#hear();
  }

  async cpu(): Promise<number> {
    return z.number().parse(await this.ask({ do: 'cpu' }));
  }

  /** Calls an operation, whatever the answer is. */
  async post(operation: string, params: unknown): Promise<void> {
    const { url, token } = this.#about;
    const answer = await fetch(`${url}/api/v1/${operation}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(params),
    });
    await answer.arrayBuffer();
  }

  /** A WebSocket, once it is open. */
  async connect(): Promise<WebSocket> {
    const { url, token } = this.#about;
    let address = url.replace('http', 'ws');
    if (this.#kind === 'loom') {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${url}/auth/ticket`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
      });
      const { ticket } = ticketAnswer.parse(await answer.json()).value;
      address = `${address}/api/v1/feed?ticket=${ticket}`;
    }
    const socket = new WebSocket(address, { perMessageDeflate: false });
    await once(socket, 'open');
    return socket;
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit');
    this.#child.disconnect();
    await gone;
  }

  async #hear(): Promise<unknown> {
    const said: unknown[] = await once(this.#child, 'message');
    return z.object({ result: z.unknown() }).parse(said[0]).result;
  }
}

const directory = mkdtempSync(join(tmpdir(), 'loom-bench-server-'));
// Fewer for a quick look: node bench/server.ts 200
const clients = Number(process.argv[2] ?? 1000);
async function measureFanOut(): Promise<void> {
  const loom = await ServerProcess.start('loom');
  const { root, block } = grown.parse(await loom.ask({ do: 'grow', nodes: 20 }));
  const joining = encodeFrame({ type: 'join', id: 'j', protocol, root, scope: 'whole' });
  const readers = await connectAll(loom, joining);
  await readers.until((reader) => reader.messages.length > 0);
  const texts = Array.from(
    { length: 100 },
    (_, index) => `${index}: so much a model says between two flushes of its buffer. `,
  );
  readers.forget();
  const cpu = await timed(loom, { do: 'append', block, texts, pause: 10 }, () =>
    readers.until((reader) => reader.messages.join('').includes('"99: ')),
  );
  const { messages } = readers.first;
  readers.close();
  await loom.stop();
  const bare = await ServerProcess.start('bare');
  const others = await connectAll(bare, 'hello');
  const bareCpu = await timed(bare, { do: 'send', messages, pause: 10 }, () =>
    others.until((reader) => reader.messages.length === messages.length),
  );
  others.close();
  await bare.stop();
  printRatio(`${texts.length} changes to ${clients} clients, CPU ÷ bare ws`, cpu, bareCpu, 1.5);
}

async function measureReturn(): Promise<void> {
  const path = join(directory, 'return');
  const before = await ServerProcess.start('loom', path);
  const { root, block, cursor } = grown.parse(await before.ask({ do: 'grow', nodes: 200 }));
  const texts = Array.from({ length: 20 }, (_, index) => `${index}: what was said before the server went away. `);
  await before.ask({ do: 'append', block, texts, pause: 0 });
  await before.stop();
  const loom = await ServerProcess.start('loom', path);
  const joining = encodeFrame({ type: 'join', id: 'j', protocol, root, scope: 'whole', cursor });
  const begun = await loom.cpu();
  const readers = await connectAll(loom, joining);
  await readers.until((reader) => reader.messages.join('').includes('"19: '));
  const cpu = (await loom.cpu()) - begun;
  const { messages } = readers.first;
  readers.close();
  await loom.stop();
  const bare = await ServerProcess.start('bare');
  await bare.ask({ do: 'greet', messages });
  const bareBegun = await bare.cpu();
  const others = await connectAll(bare, 'hello');
  await others.until((reader) => reader.messages.length === messages.length);
  const bareCpu = (await bare.cpu()) - bareBegun;
  others.close();
  await bare.stop();
  printRatio(`${clients} clients come back after a restart, CPU ÷ bare ws`, cpu, bareCpu, 5);
}

/** Clients that do not read must not be felt by the others. */
async function measureStuck(): Promise<void> {
  const loom = await ServerProcess.start('loom');
  const { root, block } = grown.parse(await loom.ask({ do: 'grow', nodes: 4 }));
  const sockets = await Promise.all(Array.from({ length: 200 }, () => loom.connect()));
  const arrivals: { place: string; time: number }[] = [];
  for (const [index, socket] of sockets.entries()) {
    socket.send(encodeFrame({ type: 'join', id: 'j', protocol, root, scope: 'whole' }));
    await once(socket, 'message');
    if (index < 10) socket.pause();
    socket.on('message', (data) => {
      const time = Date.now();
      for (const [, seq] of textOf(data).matchAll(/"seq":(\d+),"time"/gu))
        arrivals.push({ place: `${root} ${seq}`, time });
    });
  }
  // More than may wait for one, and than the sockets in between hold.
  const texts = Array.from({ length: 120 }, () => 'x'.repeat(60_000));
  await loom.ask({ do: 'append', block, texts, pause: 100 });
  // On a busy machine some of the readers may have to join again, too: then less arrives.
  for (let count = -1; count < arrivals.length;) {
    count = arrivals.length;
    await new Promise((resolve) => void setTimeout(resolve, 1000));
  }
  const begun = new Map(flushes.parse(await loom.ask({ do: 'flushes' })));
  for (const socket of sockets) socket.terminate();
  await loom.stop();
  const delays = arrivals.map(({ place, time }) => time - (begun.get(place)?.begun ?? Number.NaN));
  console.log(
    `  ${delays.length} of ${190 * texts.length} deliveries of 60 KB to 190 readers, beside 10 that do not read`,
  );
  printTime('flush to those readers, p99', percentile(delays, 0.99), 100);
}

async function measureDelay(): Promise<void> {
  const loom = await ServerProcess.start('loom', join(directory, 'delay'));
  const arrivals = new Map<string, number>();
  const roots: string[] = [];
  const sockets: WebSocket[] = [];
  for (let count = 0; count < 50; count += 1) {
    const { root } = grown.parse(await loom.ask({ do: 'grow', nodes: 4 }));
    roots.push(root);
    const socket = await loom.connect();
    sockets.push(socket);
    socket.on('message', (data) => {
      const now = Date.now();
      for (const { type, seq } of frames.parse(JSON.parse(textOf(data))))
        if (type === 'change') arrivals.set(`${root} ${seq}`, now);
    });
    socket.send(encodeFrame({ type: 'join', id: 'j', protocol, root, scope: 'whole' }));
    await once(socket, 'message');
  }
  await loom.ask({ do: 'turns', roots });
  await new Promise((resolve) => void setTimeout(resolve, 500));
  const times = flushes.parse(await loom.ask({ do: 'flushes' }));
  const delays = times.flatMap(([place, { begun, committed }]) => {
    const arrived = arrivals.get(place);
    return arrived === undefined ? [] : [{ commit: committed - begun, all: arrived - begun }];
  });
  for (const socket of sockets) socket.close();
  await loom.stop();
  const commits = delays.map(({ commit }) => commit);
  const whole = delays.map(({ all }) => all);
  console.log(
    `  ${delays.length} changes of 50 turns: half within ${percentile(whole, 0.5)} ms; of that the commit ${percentile(commits, 0.5)} ms, p99 ${percentile(commits, 0.99)} ms`,
  );
  printTime('flush to reader with durable commit, p99', percentile(whole, 0.99), 100);
}

/** Requests that are made to cost much, each in CPU time of the server. */
async function measureAttacks(): Promise<void> {
  const loom = await ServerProcess.start('loom');
  const { block } = grown.parse(await loom.ask({ do: 'grow', nodes: 4 }));
  await loom.ask({ do: 'append', block, texts: [`${'a'.repeat(200_000)}!\n`, 'a\n'.repeat(100_000)], pause: 0 });
  const attacks: [what: string, operation: string, params: unknown][] = [
    ['a pattern that backtracks', 'kernel.search', { query: '(a+)+$' }],
    ['a pattern with many states', 'kernel.search', { query: '([a-z]{1,30}){1,30}$' }],
    ['a cursor of 7 MB', 'root.list', { after: 'x'.repeat(7_000_000) }],
    ['40,000 wrong messages', 'node.append', { parent: block, messages: Array.from({ length: 40_000 }, () => 1) }],
    ['2,000,000 values', 'node.append', { parent: block, messages: Array.from({ length: 2_000_000 }, () => 1) }],
  ];
  // Once, so that code loaded at the first use does not count.
  await loom.post('kernel.search', { query: 'a+b' });
  for (const [what, operation, params] of attacks) {
    const begun = await loom.cpu();
    await loom.post(operation, params);
    printTime(`${what}, CPU`, (await loom.cpu()) - begun, 500);
  }
  await loom.stop();
}

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}

/** CPU time that a server takes for something, until it has arrived. */
async function timed(server: ServerProcess, asked: object, arrived: () => Promise<void>): Promise<number> {
  const begun = await server.cpu();
  await server.ask(asked);
  await arrived();
  return (await server.cpu()) - begun;
}

function textOf(data: RawData): string {
  return Buffer.isBuffer(data) ? data.toString() : '';
}

interface Reader {
  socket: WebSocket;
  messages: string[];
}

class Readers {
  readonly #readers: Reader[] = [];

  add(socket: WebSocket): void {
    const reader: Reader = { socket, messages: [] };
    socket.on('message', (data) => void reader.messages.push(textOf(data)));
    this.#readers.push(reader);
  }

  get first(): Reader {
    const [reader] = this.#readers;
    if (reader === undefined) throw new Error('there are no readers');
    return reader;
  }

  forget(): void {
    for (const reader of this.#readers) reader.messages = [];
  }

  async until(isSo: (reader: Reader) => boolean): Promise<void> {
    while (!this.#readers.every(isSo)) await new Promise((resolve) => void setTimeout(resolve, 20));
  }

  close(): void {
    for (const { socket } of this.#readers) socket.terminate();
  }
}

/** Connects all clients, fifty at a time; each says one thing. */
async function connectAll(server: ServerProcess, first: string): Promise<Readers> {
  const readers = new Readers();
  for (let count = 0; count < clients; count += 50) {
    const sockets = await Promise.all(Array.from({ length: Math.min(50, clients - count) }, () => server.connect()));
    for (const socket of sockets) {
      readers.add(socket);
      socket.send(first);
    }
  }
  return readers;
}

try {
  printHeader('server');
  await measureFanOut();
  await measureDelay();
  await measureStuck();
  await measureAttacks();
  await measureReturn();
} finally {
  rmSync(directory, { recursive: true });
}
