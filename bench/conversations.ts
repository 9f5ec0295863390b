// Memory while 10,000 conversations are opened one after another, beside that after the first 500; what 20,000 requests with ids of no
// conversation leave behind; and how long a process takes to list all conversations. The same for Loom over a data folder with node files.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Message } from '@loom/blocks';
import { Forest } from '@loom/kernel/logs';
import { BlockTools } from '@loom/kernel/testing';
import type { Outcome } from '@loom/kernel';
import type { Store } from '@loom/kernel/store';
import { openLoom } from '@loom/loom';
import type { Loom } from '@loom/loom';
import { openFileSystemStore } from '@loom/stores/files';
import { openSqliteStore } from '@loom/stores/sqlite';
import { machineClock, printHeader } from './measure.ts';

/** The number of conversations; fewer for a quick look: node bench/conversations.ts 2000 4000 */
const conversations = Number(process.argv[2] ?? 10_000);
const unknownIds = Number(process.argv[3] ?? 20_000);
const few = 500;
const goal = 1.3;
const messages = 20;

setFlagsFromString('--expose-gc');
let lastId = 0;
const ids = { next: (): string => String((lastId += 1)).padStart(26, '0') };

printHeader('conversations');
for (const [kind, openStore] of [
  ['sqlite', openSqliteStore],
  ['files', openFileSystemStore],
] as const) {
  const directory = mkdtempSync(join(tmpdir(), 'loom-bench-conversations-'));
  try {
    const writing = await openStore({ directory });
    await fill(writing);
    await writing.close();
    const store = await openStore({ directory });
    await measure(kind, store);
    await store.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'loom-bench-conversations-'));
try {
  await fillFolder();
  await using loom = await openLoom({ dataDir });
  await measureFolder(loom);
} finally {
  rmSync(dataDir, { recursive: true });
}

/** Fills the folder with shorter conversations, since each message is a file. */
async function fillFolder(): Promise<void> {
  const began = performance.now();
  await using loom = await openLoom({ dataDir, storeKind: 'sqlite' });
  const begin = async (): Promise<void> => {
    const { root } = await ask(loom.call('root.create', {}));
    const content = `${root} ${'word '.repeat(100)}`;
    await ask(loom.call('node.append', { parent: root, messages: [{ role: 'user', content }] }));
  };
  for (let begun = 0; begun < conversations; begun += 16) {
    await Promise.all(Array.from({ length: Math.min(16, conversations - begun) }, begin));
  }
  console.log(
    `  ${count(conversations)} conversations of a folder in ${((performance.now() - began) / 1000).toFixed(1)} s`,
  );
}

async function measureFolder(loom: Loom): Promise<void> {
  const roots = await loom.engine.forest.roots();
  const open = async (from: number, to: number): Promise<void> => {
    for (const root of roots.slice(from, to)) await loom.open(root);
    // A conversation that was read stays in memory until its files are found written.
    await new Promise((resolve) => setTimeout(resolve, 2000));
  };
  await open(0, few);
  const early = await megabytes();
  await open(few, roots.length);
  const late = await megabytes();
  for (let asked = 0; asked < unknownIds; asked += 1) {
    const outcome = await loom.call('root.mark', { root: `root-${ids.next()}`, title: 'x' });
    if (outcome.ok) throw new Error('there is no such conversation');
  }
  console.log('  Loom over a folder with node files:');
  print(`after ${count(roots.length)} were opened, beside ${few}`, late, early);
  print(`after ${count(unknownIds)} requests with unknown ids`, await megabytes(), early);
}

async function ask<T>(asked: Promise<Outcome<T>>): Promise<T> {
  const outcome = await asked;
  if (!outcome.ok) throw new Error(outcome.refusal.reason);
  return outcome.value;
}

async function fill(store: Store): Promise<void> {
  const forest = openForest(store);
  const began = performance.now();
  for (let begun = 0; begun < conversations; begun += 16) {
    await Promise.all(Array.from({ length: Math.min(16, conversations - begun) }, () => writeConversation(forest)));
  }
  await forest.saveSnapshots();
  forest.close();
  console.log(
    `  ${count(conversations)} conversations written in ${((performance.now() - began) / 1000).toFixed(1)} s`,
  );
}

async function writeConversation(forest: Forest): Promise<void> {
  const created = await forest.createRoot(request());
  if (!created.ok) throw new Error(created.refusal.reason);
  const { root } = created.value;
  const said = Array.from({ length: messages }, (_, index): Message => {
    const text = `${root} ${index} ${'word '.repeat(100)}`;
    return { role: index % 2 === 0 ? 'user' : 'assistant', content: [{ type: 'text', text }] };
  });
  const appended = await forest.append(request(), root, { parent: root, messages: said });
  if (!appended.ok) throw new Error(appended.refusal.reason);
}

async function measure(kind: string, store: Store): Promise<void> {
  const forest = openForest(store);
  const tools = new BlockTools({ forest, ids });
  const began = performance.now();
  const listed = await forest.listRoots();
  const listing = performance.now() - began;
  const open = async (from: number, to: number): Promise<void> => {
    for (const { id } of listed.slice(from, to)) await forest.log(id).read((state) => state.nodes.size);
  };
  await open(0, few);
  const early = await megabytes();
  await open(few, listed.length);
  const late = await megabytes();
  for (const { id } of listed.slice(0, few * 4)) await forest.markRoot(request(), id, { title: 'seen' });
  const written = await megabytes();
  for (let asked = 0; asked < unknownIds; asked += 1) {
    const answer = await tools.read({ block_id: `root-${ids.next()}/@anna/1` });
    const outcome = await forest.markRoot(request(), `root-${ids.next()}`, { title: 'x' });
    if (outcome.ok || !('refusal' in answer)) throw new Error('there is no such conversation');
  }
  const after = await megabytes();
  console.log(`  ${kind}: all ${count(listed.length)} are listed after ${listing.toFixed(0)} ms`);
  print(`after ${count(listed.length)} were opened, beside ${few}`, late, early);
  print(`after ${count(few * 4)} were changed`, written, early);
  print(`after ${count(2 * unknownIds)} requests with unknown ids`, after, early);
  console.log(`    ${forest.logsInMemory} logs are in memory`);
  forest.close();
}

function print(what: string, now: number, early: number): void {
  const ratio = now / early;
  const verdict = ratio <= goal ? 'within' : 'ABOVE';
  console.log(
    `    ${what}: ${now.toFixed(1)} MB ÷ ${early.toFixed(1)} MB = ${ratio.toFixed(2)} (${verdict} the limit of ${goal})`,
  );
}

/** Returns the reachable memory. A log that was released is reachable until the event loop has run once. */
async function megabytes(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 100));
  for (let round = 0; round < 2; round += 1) runInNewContext('gc()');
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1e6;
}

function openForest(store: Store): Forest {
  return new Forest({ store, clock: machineClock, ids });
}

function request(): { agent: string; id: string } {
  return { agent: 'anna', id: ids.next() };
}

function count(number: number): string {
  return number.toLocaleString('en');
}
