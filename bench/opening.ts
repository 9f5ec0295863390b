// The cost of opening much: a root of 100,000 nodes until its first block is read, a fresh process over 1,000,000 blocks until it has
// listed all conversations and read one, and the bytes on disk for each byte of text, by part.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { utf8Length } from '@loom/blocks';
import type { Message } from '@loom/blocks';
import { Forest } from '@loom/kernel/logs';
import { BlockTools } from '@loom/kernel/testing';
import { openSqliteStore, sizesOf } from '@loom/stores/sqlite';
import { median, printHeader } from './measure.ts';

/** The figures that a process reports about itself. */
const figures = z.object({ ms: z.number(), megabytes: z.number() });
const blockLength = 800;
const openings = 3;
const [mode, ...rest] = process.argv.slice(2);
let lastId = 0;
const ids = { next: (): string => String((lastId += 1)).padStart(26, '0') };

if (mode === 'start') await startCold(rest[0] ?? '');
else if (mode === 'open') await openRoot(rest[0] ?? '');
else await measureAll();

async function measureAll(): Promise<void> {
  printHeader('opening');
  // Fewer for a quick look: node bench/opening.ts all 10000 100000
  const nodes = Number(rest[0] ?? 100_000);
  const blocks = Number(rest[1] ?? 1_000_000);
  await inFolder(async (directory) => {
    const { milliseconds } = await fill(directory, 1, nodes);
    console.log(`  ${count(nodes)} nodes in one root, written in ${(milliseconds / 1000).toFixed(1)} s`);
    const times = runs('open', directory);
    console.log(
      `  opened until the first block is read: ${Math.round(median(times.map(({ ms }) => ms)))} ms, ${mostMemory(times)} MB resident`,
    );
  });
  await inFolder(async (directory) => {
    const { milliseconds, text } = await fill(directory, blocks / 100, 100);
    console.log(
      `  ${count(blocks)} blocks in ${count(blocks / 100)} roots, written in ${(milliseconds / 1000).toFixed(1)} s`,
    );
    const times = runs('start', directory);
    const start = Math.round(median(times.map(({ ms }) => ms)));
    verdict(`a fresh process has listed all conversations and read one after ${start} ms`, start, 1000);
    verdict(`its resident memory is ${mostMemory(times)} MB`, mostMemory(times), 200);
    const { files, pages } = sizesOf(directory);
    for (const [part, bytes] of Object.entries(pages)) {
      console.log(`  ${part}: ${count(bytes)} bytes ÷ ${count(text)} bytes of text = ${(bytes / text).toFixed(2)}`);
    }
    verdict(`log ÷ text = ${(pages.records / text).toFixed(2)}`, pages.records / text, 1.3);
    const together = files.database + files.writeAheadLog;
    console.log(`  log, snapshots and list together ÷ text = ${(together / text).toFixed(2)}`);
  });
}

/** Writes so many conversations of so many messages each, and closes everything. */
async function fill(directory: string, roots: number, nodes: number): Promise<{ milliseconds: number; text: number }> {
  const { store, forest } = await open(directory);
  // Only here: the code of the sample takes time to load, and a measured process does not need it.
  const { SampleText } = await import('./sample-text.ts');
  const sample = new SampleText(1);
  const begun = performance.now();
  let text = 0;
  for (let root = 0; root < roots; root += 1) {
    const created = await forest.createRoot(request());
    if (!created.ok) throw new Error(JSON.stringify(created.refusal));
    let parent = created.value.root;
    for (let written = 0; written < nodes; written += 100) {
      const messages = Array.from({ length: Math.min(100, nodes - written) }, (_, index): Message => {
        const said = sample.block(blockLength);
        text += utf8Length(said);
        return { role: index % 2 === 0 ? 'user' : 'assistant', content: [{ type: 'text', text: said }] };
      });
      const outcome = await forest.append(request(), created.value.root, { parent, messages });
      if (!outcome.ok) throw new Error(JSON.stringify(outcome.refusal));
      parent = outcome.value.nodes.at(-1) ?? parent;
    }
  }
  await forest.saveSnapshots();
  const milliseconds = performance.now() - begun;
  forest.close();
  await store.close();
  return { milliseconds, text };
}

async function startCold(directory: string): Promise<void> {
  const { store, forest } = await open(directory);
  const roots = await forest.listRoots();
  const newest = roots.toSorted((a, b) => b.updated - a.updated)[0]?.id ?? '';
  await readFirst(forest, newest);
  report();
  await store.close();
}

async function openRoot(directory: string): Promise<void> {
  const { store, forest } = await open(directory);
  await readFirst(forest, (await forest.roots())[0] ?? '');
  report();
  await store.close();
}

async function readFirst(forest: Forest, root: string): Promise<void> {
  const tools = new BlockTools({ forest, ids });
  const state = await forest.log(root).state();
  const [block = ''] = state.nodeOfBlock.keys();
  const read = await tools.read({ block_id: block });
  if ('refusal' in read) throw new Error(JSON.stringify(read.refusal));
}

/** Prints the time since the process began, modules and all. */
function report(): void {
  console.log(JSON.stringify({ ms: performance.now(), megabytes: Math.round(process.memoryUsage.rss() / 1e6) }));
}

function runs(what: string, directory: string): { ms: number; megabytes: number }[] {
  return Array.from({ length: openings }, () => {
    const { stdout, stderr, status } = spawnSync(process.execPath, [import.meta.filename, what, directory], {
      encoding: 'utf8',
      // As the command does: compiled code is kept.
      env: { ...process.env, NODE_COMPILE_CACHE: join(tmpdir(), 'loom-bench-compiled') },
    });
    if (status !== 0) throw new Error(stderr);
    return figures.parse(JSON.parse(stdout));
  });
}

function mostMemory(times: readonly { megabytes: number }[]): number {
  return Math.max(...times.map(({ megabytes }) => megabytes));
}

function verdict(what: string, figure: number, goal: number): void {
  console.log(`  ${what} (${figure <= goal ? 'within' : 'ABOVE'} the goal of ${goal})`);
}

function count(number: number): string {
  return number.toLocaleString('en');
}

async function open(
  directory: string,
): Promise<{ store: Awaited<ReturnType<typeof openSqliteStore>>; forest: Forest }> {
  const store = await openSqliteStore({ directory });
  return { store, forest: new Forest({ store, clock: { now: () => Date.now(), after: () => () => {} }, ids }) };
}

async function inFolder(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'loom-bench-opening-'));
  try {
    await work(directory);
  } finally {
    if (existsSync(directory)) rmSync(directory, { recursive: true });
  }
}

function request(): { agent: string; id: string } {
  return { agent: 'importer', id: ids.next() };
}
