// One server of bench/server.ts in a separate process, so that its cost can be told apart from that of its clients: Loom's, or a bare
// WebSocket server.
import { createHash } from 'node:crypto';
import { LoomEngine } from '@loom/kernel';
import type { Provider, ProviderEvent } from '@loom/kernel';
import { blobsOf } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { LoomServer } from '@loom/server';
import { openTokens } from '@loom/server/access';
import { createMemoryStore } from '@loom/stores/memory';
import { openSqliteStore } from '@loom/stores/sqlite';
import { WebSocketServer } from 'ws';
import { z } from 'zod';
import { machineClock as clock } from './measure.ts';

/** The commands of the parent. */
const command = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('cpu') }),
  /** A conversation with so many messages; the last one is written to. */
  z.strictObject({ do: z.literal('grow'), nodes: z.int() }),
  z.strictObject({ do: z.literal('append'), block: z.string(), texts: z.array(z.string()), pause: z.number() }),
  z.strictObject({ do: z.literal('turns'), roots: z.array(z.string()) }),
  z.strictObject({ do: z.literal('flushes') }),
  /** Bare: to all, or to each that says something. */
  z.strictObject({ do: z.literal('send'), messages: z.array(z.string()), pause: z.number() }),
  z.strictObject({ do: z.literal('greet'), messages: z.array(z.string()) }),
]);
type Command = z.infer<typeof command>;

let lastId = 0;
const newId = (): string => `${process.pid}-${String((lastId += 1)).padStart(8, '0')}`;

async function serveLoom(directory: string | undefined): Promise<void> {
  const flushed = new Map<string, Flush>();
  const store: Store =
    directory === undefined ? createMemoryStore({ now: Date.now }) : await openSqliteStore({ directory });
  note(store, flushed);
  const hash = { hex: (text: string): string => createHash('sha256').update(text).digest('hex') };
  const parts = { store, clock, hash, ids: { next: newId }, holder: 'bench', tools: [], exclusive: true };
  const engine = new LoomEngine({ ...parts, providers: [new Talker()] });
  const tokens = await openTokens({ keeper: { read: async () => [], write: async () => {} }, now: Date.now });
  const identity = { agent: 'person', type: 'person' as const, role: 'owner' as const };
  const { token } = await tokens.create({ identity, isKept: false });
  const blobs = blobsOf(store);
  const uploads = { receive: () => Promise.reject(new Error('nothing is uploaded here')) };
  const server = new LoomServer({
    engine,
    blobs,
    uploads,
    tokens,
    secrets: store,
    clock,
    newId,
    onFailure: console.error,
  });
  const url = await server.listen({ port: 0 });
  serve({ url, token }, async (asked) => {
    switch (asked.do) {
      case 'grow':
        return grow(engine, asked.nodes);
      case 'append':
        for (const text of asked.texts) {
          const added = await engine.blocks.append({ agent: 'person', id: newId() }, { block_id: asked.block, text });
          if ('refusal' in added) throw new Error(JSON.stringify(added.refusal));
          await wait(asked.pause);
        }
        return null;
      case 'turns':
        return Promise.all(asked.roots.map((root) => runTurn(engine, root))).then(() => null);
      case 'flushes':
        return [...flushed];
      default:
        return null;
    }
  });
}

function serveBare(): void {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1', perMessageDeflate: false });
  let greeting: Buffer[] = [];
  server.on('connection', (socket) => {
    socket.once('message', () => {
      for (const message of greeting) socket.send(message, { binary: false });
    });
  });
  server.on('listening', () => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    serve({ url: `http://127.0.0.1:${port}`, token: '' }, async (asked) => {
      if (asked.do === 'greet') greeting = asked.messages.map((message) => Buffer.from(message));
      if (asked.do !== 'send') return null;
      for (const message of asked.messages) {
        const bytes = Buffer.from(message);
        for (const socket of server.clients) socket.send(bytes, { binary: false });
        await wait(asked.pause);
      }
      return null;
    });
  });
}

/** Serves the commands of the parent, one after the other. */
function serve(about: { url: string; token: string }, answer: (asked: Command) => Promise<unknown>): void {
  process.on('message', (value) => {
    const asked = command.parse(value);
    const done = asked.do === 'cpu' ? Promise.resolve(cpuTime()) : answer(asked);
    done.then(
      (result) => process.send?.({ result }),
      (error: unknown) => {
        console.error(error);
        process.exit(1);
      },
    );
  });
  process.on('disconnect', () => process.exit(0));
  process.send?.({ result: about });
}

/** Returns the CPU time in milliseconds. */
function cpuTime(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** The times at which a change was handed to the store, and was durable. */
interface Flush {
  begun: number;
  committed: number;
}

/** Notes from now on when a store gets each change. */
function note(store: Store, flushed: Map<string, Flush>): void {
  const append = store.append.bind(store);
  store.append = async (log, batch) => {
    const begun = Date.now();
    const result = await append(log, batch);
    const flush = { begun, committed: Date.now() };
    for (const { seq } of batch.records) flushed.set(`${log} ${seq}`, flush);
    return result;
  };
}

/** A model that says 400 words, fifty a second. */
class Talker implements Provider {
  readonly id = 'talker';

  async *stream(): AsyncGenerator<ProviderEvent> {
    yield { type: 'call-start' };
    yield { type: 'block-start', key: 'a', message: 'm', role: 'assistant', block: { type: 'text', text: '' } };
    for (let word = 0; word < 400; word += 1) {
      yield { type: 'block-delta', key: 'a', field: 'text', text: `word ${word} ` };
      await wait(20);
    }
    yield { type: 'block-end', key: 'a' };
    yield { type: 'call-end', reason: 'stop' };
  }
}

async function grow(engine: LoomEngine, nodes: number): Promise<unknown> {
  const created = await engine.forest.createRoot({ agent: 'person', id: newId() });
  if (!created.ok) throw new Error(JSON.stringify(created.refusal));
  const { root } = created.value;
  const messages = Array.from({ length: nodes }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: [
      { type: 'text' as const, text: `message ${index}, with a sentence or two in it, as people write them. ` },
    ] satisfies [object],
  }));
  await engine.forest.append({ agent: 'person', id: newId() }, root, { parent: root, messages });
  const caller = { agent: 'person', type: 'person', role: 'owner', door: 'http', id: newId() } as const;
  const made = await engine.call('block.create', caller, { parent_id: root, role: 'assistant', kind: 'text' });
  if (!made.ok) throw new Error(JSON.stringify(made.refusal));
  return { root, block: made.value.block_id, cursor: await engine.forest.log(root).cursor() };
}

async function runTurn(engine: LoomEngine, root: string): Promise<void> {
  const { value: node } = await engine.forest.log(root).read((state) => [...state.nodes.keys()].at(-1) ?? '');
  const started = await engine.turns.generate({ agent: 'person', id: newId() }, root, {
    node,
    provider: 'talker',
    model: 'talker',
  });
  if (!started.ok) throw new Error(JSON.stringify(started.refusal));
  for (const turn of started.value.turns) await engine.turns.wait(turn);
}

function wait(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds));
}

if (process.argv[2] === 'bare') serveBare();
else await serveLoom(process.argv[3]);
