// The speed of incoming words: 200,000 deltas as server-sent events from loopback, read by the SDK alone, by the SDK's `streamText`, by
// Loom's provider into blocks in memory, and by a whole turn into a SQLite store.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { withAppended } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import { LoomEngine } from '@loom/kernel';
import type { ProviderCall, ProviderRequest } from '@loom/kernel';
import { blobsOf } from '@loom/kernel/store';
import { anthropicApi, createAnthropicProvider } from '@loom/providers/anthropic';
import { createMemoryStore } from '@loom/stores/memory';
import { openSqliteStore } from '@loom/stores/sqlite';
import { streamText } from 'ai';
import { machineClock, median, printHeader } from './measure.ts';

const deltas = 200_000;
const rounds = 5;
const model = 'claude-opus-4-8';

/** The source of a server that sends the same stream for every request. */
const serverSource = `
  const { createServer } = require('node:http');
  const { parentPort, workerData } = require('node:worker_threads');
  const event = (value) => 'event: ' + value.type + '\\ndata: ' + JSON.stringify(value) + '\\n\\n';
  const words = ['the ', 'quick ', 'brown ', 'fox ', 'jumps\\n', 'over '];
  let length = 0;
  const usage = { input_tokens: 10, output_tokens: 1 };
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, usage };
  const events = [event({ type: 'message_start', message })];
  events.push(event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }));
  for (let at = 0; at < workerData.deltas; at += 1) {
    const text = words[at % words.length];
    length += text.length;
    events.push(event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }));
  }
  events.push(event({ type: 'content_block_stop', index: 0 }));
  events.push(event({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } }));
  events.push(event({ type: 'message_stop' }));
  const bytes = Buffer.from(events.join(''));
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(bytes);
    });
  });
  server.listen(0, '127.0.0.1', () => parentPort.postMessage({ port: server.address().port, length }));
`;

printHeader('stream');
const server = await startServer();
const baseURL = `http://127.0.0.1:${server.port}/v1`;
const provider = createAnthropicProvider({
  clock: machineClock,
  random: Math.random,
  key: async () => 'key',
  baseURL,
});

const sdkModel = await anthropicApi.model(model, { fetch, key: 'key', baseURL });

const ways = { sdk: readBySdk, streamText: readByStreamText, loom: readByLoom };
const times: Record<keyof typeof ways, number[]> = { sdk: [], streamText: [], loom: [] };
for (let round = 0; round <= rounds; round += 1) {
  for (const way of ['sdk', 'loom', 'streamText'] as const) {
    const begun = performance.now();
    const length = await ways[way]();
    const milliseconds = performance.now() - begun;
    if (length !== server.length) throw new Error(`${way} read ${length} of ${server.length} characters`);
    // The first round is for the compiler.
    if (round > 0) times[way].push(milliseconds);
  }
}
const [sdk, loom, whole] = [median(times.sdk), median(times.loom), median(times.streamText)];
console.log(
  `  ${deltas.toLocaleString('en')} deltas: ${rate(loom)} by Loom's provider, ${rate(sdk)} by the SDK's doStream alone, ${rate(whole)} by streamText`,
);
printShare('into blocks in memory ÷ doStream alone', sdk / loom, 0.6);
printShare('into blocks in memory ÷ streamText', whole / loom, 1.5);
const durable = await measureDurable();
console.log(
  `  a whole turn, durable in SQLite: ${rate(durable)} = ${(sdk / durable).toFixed(2)} of doStream alone, ${(whole / durable).toFixed(2)} of streamText`,
);
await server.worker.terminate();

function rate(milliseconds: number): string {
  return `${Math.round((deltas / milliseconds) * 1000).toLocaleString('en')}/s`;
}

function printShare(what: string, share: number, goal: number): void {
  console.log(`  ${what}: ${share.toFixed(2)} (${share >= goal ? 'reaches' : 'MISSES'} the goal of ${goal})`);
}

async function readBySdk(): Promise<number> {
  const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'Go on.' }] }];
  const { stream } = await sdkModel.doStream({
    prompt,
    includeRawChunks: true,
  });
  let length = 0;
  for await (const part of stream) if (part.type === 'text-delta') length += part.delta.length;
  return length;
}

async function readByStreamText(): Promise<number> {
  const { fullStream } = streamText({ model: sdkModel, prompt: 'Go on.' });
  let length = 0;
  for await (const part of fullStream) if (part.type === 'text-delta') length += part.text.length;
  return length;
}

async function readByLoom(): Promise<number> {
  const blocks = new Map<string, MessageBlock>();
  for await (const event of provider.stream(request(), quietCall())) {
    if (event.type === 'block-start') blocks.set(event.key, event.block);
    if (event.type === 'block-delta') {
      const block = blocks.get(event.key);
      if (block !== undefined) blocks.set(event.key, withAppended(block, event.field, event.text));
    }
    if (event.type === 'call-error') throw new Error(event.error.message);
  }
  return [...blocks.values()].reduce((sum, block) => sum + (block.type === 'text' ? block.text.length : 0), 0);
}

function request(): ProviderRequest {
  return {
    root: 'root-1',
    node: 'root-1/node-1',
    model,
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Go on.' }] }],
    tools: [],
    maxTokens: 8192,
    settings: {},
    invalid: [],
    trail: [],
  };
}

function quietCall(): ProviderCall {
  return {
    signal: new AbortController().signal,
    blobs: blobsOf(createMemoryStore()),
    steering: (async function* () {})(),
    decide: async () => ({ decision: 'denied', by: 'bench' }),
    session: async () => ({ ok: false, refusal: { reason: 'nothing-said' } }),
    record: () => {},
  };
}

async function measureDurable(): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), 'loom-bench-stream-'));
  let lastId = 0;
  const ids = { next: (): string => String((lastId += 1)).padStart(26, '0') };
  const asked = (): { agent: string; id: string } => ({ agent: 'person', id: ids.next() });
  try {
    const store = await openSqliteStore({ directory });
    const hash = { hex: (text: string) => String(text.length) };
    const engine = new LoomEngine({
      store,
      clock: machineClock,
      ids,
      hash,
      providers: [provider],
      tools: [],
      holder: 'bench',
      exclusive: true,
    });
    const created = await engine.forest.createRoot(asked());
    if (!created.ok) throw new Error(JSON.stringify(created.refusal));
    const { root } = created.value;
    const said = await engine.forest.append(asked(), root, {
      parent: root,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Go on.' }] }],
    });
    if (!said.ok) throw new Error(JSON.stringify(said.refusal));
    const node = said.value.nodes.at(-1) ?? root;
    const begun = performance.now();
    const answer = await engine.turns.generate(asked(), root, { node, provider: 'anthropic', model });
    if (!answer.ok) throw new Error(JSON.stringify(answer.refusal));
    await engine.turns.wait(answer.value.turns[0] ?? '');
    const milliseconds = performance.now() - begun;
    const nodes = [...(await engine.forest.log(root).state()).nodes.values()];
    const kept = nodes.flatMap(({ blocks }) => blocks).map((block) => (block.type === 'text' ? block.text.length : 0));
    if (!kept.includes(server.length))
      throw new Error(`the store has ${kept.join(', ')} of ${server.length} characters`);
    await engine.close();
    await store.close();
    return milliseconds;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

/** Starts the server in a separate thread, so that it does not take the time of what is measured. */
async function startServer(): Promise<{ port: number; length: number; worker: Worker }> {
  const worker = new Worker(serverSource, { eval: true, workerData: { deltas } });
  const { port, length } = await new Promise<{ port: number; length: number }>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  return { port, length, worker };
}
