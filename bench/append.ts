// The cost of streamed conversations: bytes in the SQLite store for each byte of text once turns are compacted, and memory for each byte of
// text when blocks are opened and read, which needs no text document.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { utf8Length } from '@loom/blocks';
import { LoomEngine } from '@loom/kernel';
import { BlockTools } from '@loom/kernel/testing';
import type { Message } from '@loom/blocks';
import type { Provider, ProviderEvent } from '@loom/kernel';
import { openSqliteStore, sizesOf } from '@loom/stores/sqlite';
import { printHeader } from './measure.ts';

const tokens = 200_000;
const bytesLimit = 1.3;
const blocks = 10_000;
const blockLength = 800;
const memoryLimit = 2.5;

let lastId = 0;
const ids = { next: (): string => String((lastId += 1)).padStart(26, '0') };

printHeader('append');
await measureBytes();
await measureMemory('imported', importBlocks);
await measureMemory('streamed', streamBlocks);

async function measureBytes(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'loom-bench-append-'));
  try {
    const store = await openSqliteStore({ directory });
    const lengths = [4_000, 12_000, 100_000];
    const provider = streamer(lengths);
    const engine = createEngine(store, provider);
    const root = await createRoot(engine);
    let place = root;
    const begun = performance.now();
    while (provider.spoken < tokens) {
      place = await say(engine, root, place, 'Go on.');
      const answer = await engine.turns.generate(request(), root, { node: place, provider: 'streamer', model: 'one' });
      if (!answer.ok) throw new Error(JSON.stringify(answer.refusal));
      await engine.turns.wait(answer.value.turns[0] ?? '');
      place = [...(await engine.forest.log(root).state()).nodes.keys()].at(-1) ?? root;
    }
    const milliseconds = performance.now() - begun;
    const state = await engine.forest.log(root).state();
    const text = [...state.nodes.values()]
      .flatMap((node) => node.blocks)
      .reduce((sum, block) => sum + (block.type === 'text' ? utf8Length(block.text) : 0), 0);
    const { seq } = state;
    // The last turn's compaction goes on behind its end.
    await engine.forest.log(root).state();
    await engine.close();
    await store.close();
    const { records: stored, projections } = sizesOf(directory).pages;
    const rate = Math.round((provider.spoken / milliseconds) * 1000).toLocaleString('en');
    console.log(
      `  ${provider.spoken.toLocaleString('en')} tokens in ${seq.toLocaleString('en')} changes, ${rate} tokens/s`,
    );
    printLimit(
      `${stored.toLocaleString('en')} bytes of log ÷ ${text.toLocaleString('en')} bytes of text`,
      stored / text,
      bytesLimit,
    );
    console.log(`  its snapshot, which can be made again, beside it: ${(projections / text).toFixed(2)}`);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function measureMemory(how: string, write: (directory: string) => Promise<string>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'loom-bench-append-'));
  try {
    const root = await write(directory);
    const before = usedMemory();
    const store = await openSqliteStore({ directory });
    const reader = createEngine(store, streamer([0]));
    const tools = new BlockTools({ forest: reader.forest, ids });
    const { count, text } = await readAll(tools, root);
    const used = usedMemory() - before;
    const what = `${count.toLocaleString('en')} ${how} blocks opened and read: ${used.toLocaleString('en')} bytes of memory`;
    printLimit(`${what} ÷ ${text.toLocaleString('en')} bytes of text`, used / text, memoryLimit);
    await reader.close();
    await store.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function readAll(tools: BlockTools, root: string): Promise<{ count: number; text: number }> {
  const listed = await tools.list({ parent_id: root, depth: blocks });
  if ('refusal' in listed) throw new Error(JSON.stringify(listed.refusal));
  let text = 0;
  for (const { block_id } of listed) {
    const read = await tools.read({ block_id, line_numbers: false });
    if (!('refusal' in read)) text += utf8Length(read.content);
  }
  return { count: listed.length, text };
}

/** Imports a long conversation and forgets everything but where it is. */
async function importBlocks(directory: string): Promise<string> {
  const store = await openSqliteStore({ directory });
  const engine = createEngine(store, streamer([0]));
  const root = await createRoot(engine);
  let parent = root;
  for (let written = 0; written < blocks; written += 100) {
    const messages = Array.from({ length: 100 }, (_, index): Message => {
      const content = [{ type: 'text' as const, text: words(written + index) }] as const;
      return { role: index % 2 === 0 ? 'user' : 'assistant', content: [...content] };
    });
    const said = await engine.forest.append(request(), root, { parent, messages });
    if (!said.ok) throw new Error(JSON.stringify(said.refusal));
    parent = said.value.nodes.at(-1) ?? parent;
  }
  await engine.close();
  await store.close();
  return root;
}

/** Lets a model answer one question again and again: each block has a separate turn. */
async function streamBlocks(directory: string): Promise<string> {
  const store = await openSqliteStore({ directory });
  const engine = createEngine(store, streamer([blockLength]));
  const root = await createRoot(engine);
  const node = await say(engine, root, root, 'Go on.');
  for (let written = 0; written < blocks; written += 1) {
    const answer = await engine.turns.generate(request(), root, { node, provider: 'streamer', model: 'one' });
    if (answer.ok) await engine.turns.wait(answer.value.turns[0] ?? '');
  }
  await engine.close();
  await store.close();
  return root;
}

function words(block: number): string {
  let text = '';
  for (let index = block * 200; text.length < blockLength; index += 1) text += word(index);
  return text.slice(0, blockLength);
}

function printLimit(what: string, ratio: number, limit: number): void {
  const verdict = ratio <= limit ? 'within' : 'ABOVE';
  console.log(`  ${what} = ${ratio.toFixed(2)} (${verdict} the limit of ${limit})`);
}

function usedMemory(): number {
  if (globalThis.gc === undefined) throw new Error('run this with --expose-gc');
  for (let round = 0; round < 3; round += 1) globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

/** A model that says words without end, in answers of the given lengths by turns. */
function streamer(lengths: readonly number[]): Provider & { spoken: number } {
  let call = 0;
  const provider = {
    id: 'streamer',
    spoken: 0,
    async *stream(): AsyncGenerator<ProviderEvent> {
      const length = lengths[call % lengths.length] ?? 0;
      call += 1;
      yield { type: 'call-start' };
      yield { type: 'block-start', key: 'a', message: 'm', role: 'assistant', block: { type: 'text', text: '' } };
      let said = 0;
      while (said < length) {
        const text = word(provider.spoken).slice(0, length - said);
        said += text.length;
        provider.spoken += 1;
        yield { type: 'block-delta', key: 'a', field: 'text', text };
      }
      yield { type: 'block-end', key: 'a' };
      yield { type: 'call-end', reason: 'stop' };
    },
  };
  return provider;
}

/** Words that do not repeat in a way that a compressor could use more than those of people. */
function word(index: number): string {
  let seed = (index + 1) * 2_654_435_761;
  let letters = '';
  for (let left = 1 + (seed % 7); left >= 0; left -= 1) {
    letters += String.fromCharCode(97 + ((seed >>> 3) % 26));
    seed = (seed * 48_271 + 11) % 2_147_483_647;
  }
  return index % 12 === 11 ? `${letters}\n` : `${letters} `;
}

function request(): { agent: string; id: string } {
  return { agent: 'person', id: ids.next() };
}

function createEngine(store: ConstructorParameters<typeof LoomEngine>[0]['store'], provider: Provider): LoomEngine {
  const clock = {
    now: () => Date.now(),
    after: (milliseconds: number, callback: () => void) => {
      const timer = setTimeout(callback, milliseconds);
      return () => clearTimeout(timer);
    },
  };
  const hash = { hex: (text: string) => String(text.length) };
  return new LoomEngine({
    store,
    clock,
    ids,
    hash,
    providers: [provider],
    tools: [],
    holder: 'bench',
    exclusive: true,
  });
}

async function createRoot(engine: LoomEngine): Promise<string> {
  const created = await engine.forest.createRoot(request());
  if (!created.ok) throw new Error(JSON.stringify(created.refusal));
  return created.value.root;
}

async function say(engine: LoomEngine, root: string, parent: string, text: string): Promise<string> {
  const said = await engine.forest.append(request(), root, {
    parent,
    messages: [{ role: 'user', content: [{ type: 'text', text }] }],
  });
  if (!said.ok) throw new Error(JSON.stringify(said.refusal));
  return said.value.nodes.at(-1) ?? parent;
}
