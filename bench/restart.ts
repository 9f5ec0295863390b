// The time after `kill -9` until the next command has answered: a process writes and lets a model talk in a conversation of 10,000 nodes,
// is killed, and `./loom` takes in the edits of files, closes turns left open, and marks or reads a message.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type { Message } from '@loom/blocks';
import { LoomEngine } from '@loom/kernel';
import type { Provider, ProviderEvent } from '@loom/kernel';
import type { Store } from '@loom/kernel/store';
import { NodeFiles } from '@loom/node-files';
import { openSqliteStore } from '@loom/stores/sqlite';
import { machineClock as clock, median, printHeader, printRatio } from './measure.ts';

const loom = join(import.meta.dirname, '..', 'loom');
const blockLength = 800;
const limit = 1000;
const [mode, ...rest] = process.argv.slice(2);
const directory = rest[0] ?? '';
let lastId = Date.now() * 1000;
const ids = { next: (): string => String((lastId += 1)).padStart(26, '0') };

if (mode === 'fill') await fill(Number(rest[1]));
else if (mode === 'write') await writeUntilKilled();
// Fewer for a quick look: node bench/restart.ts all 2000 5
else await measureAll(Number(rest[0] ?? 10_000), Number(rest[1] ?? 20));

async function measureAll(nodes: number, kills: number): Promise<void> {
  printHeader('restart');
  const folder = mkdtempSync(join(tmpdir(), 'loom-bench-restart-'));
  try {
    const filled = spawnSync(process.execPath, [import.meta.filename, 'fill', folder, `${nodes}`], {
      encoding: 'utf8',
    });
    if (filled.status !== 0) throw new Error(filled.stderr);
    console.log(
      `  ${nodes.toLocaleString('en')} nodes, ${kills} kills before each; from the start of the command to its answer:`,
    );
    // The first one makes the bundle, if need be, and fills the cache of compiled code.
    await answerOf(['read', 'node-1', '--data-dir', folder]);
    await report('loom read', kills, folder, () => ['read', `node-${nodes / 2}`]);
    await report('loom bookmark add', kills, folder, (kill) => [
      'bookmark',
      'add',
      `node-${kill + 1}`,
      `after kill ${kill}`,
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function killWriter(folder: string, milliseconds: number): Promise<void> {
  const child = start('write', folder);
  await firstLine(child.stdout);
  await delay(milliseconds);
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function report(
  name: string,
  kills: number,
  folder: string,
  commandAfter: (kill: number) => string[],
): Promise<void> {
  const times: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    await killWriter(folder, 100 + 40 * kill);
    times.push(await answerOf([...commandAfter(kill), '--data-dir', folder]));
  }
  printRatio(`${name}, median`, median(times), limit, 1);
  printRatio(`${name}, worst`, Math.max(...times), limit, 1);
}

/** Returns the time until a command prints something, in milliseconds. */
async function answerOf(command: readonly string[]): Promise<number> {
  const begun = performance.now();
  const child = spawn(loom, command, { stdio: ['ignore', 'pipe', 'pipe'] });
  const exit = once(child, 'exit');
  const notes = text(child.stderr);
  await firstLine(child.stdout);
  const took = performance.now() - begun;
  await exit;
  if (child.exitCode !== 0) throw new Error(`loom ${command.join(' ')} failed: ${await notes}`);
  return took;
}

function start(what: string, folder: string) {
  return spawn(process.execPath, [import.meta.filename, what, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

async function firstLine(input: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input })) return line;
  throw new Error('the process ended without an answer');
}

async function fill(nodes: number): Promise<void> {
  const { store, engine, files } = await open();
  // Only here: the code of the sample takes time to load, and a measured process does not need it.
  const { SampleText } = await import('./sample-text.ts');
  const sample = new SampleText(1);
  const created = await engine.forest.createRoot(request());
  if (!created.ok) throw new Error(JSON.stringify(created.refusal));
  let parent = created.value.root;
  for (let written = 0; written < nodes; written += 100) {
    const messages = Array.from({ length: Math.min(100, nodes - written) }, (_, index): Message => {
      const role = index % 2 === 0 ? 'user' : 'assistant';
      return { role, content: [{ type: 'text', text: sample.block(blockLength) }] };
    });
    const outcome = await engine.forest.append(request(), created.value.root, { parent, messages });
    if (!outcome.ok) throw new Error(JSON.stringify(outcome.refusal));
    parent = outcome.value.nodes.at(-1) ?? parent;
  }
  await engine.rest();
  await files.close();
  await engine.close();
  await store.close();
}

async function writeUntilKilled(): Promise<never> {
  const { engine, root } = await openConversation();
  console.log('writing');
  for (;;) {
    const message: Message = { role: 'user', content: [{ type: 'text', text: 'Go on.' }] };
    const said = await engine.forest.append(request(), root, { parent: root, messages: [message] });
    if (!said.ok) throw new Error(JSON.stringify(said.refusal));
    const node = said.value.nodes.at(-1) ?? root;
    const answer = await engine.turns.generate(request(), root, { node, provider: 'talker', model: 'one' });
    if (!answer.ok) throw new Error(JSON.stringify(answer.refusal));
    await engine.turns.wait(answer.value.turns[0] ?? '');
  }
}

interface Opened {
  store: Store;
  engine: LoomEngine;
  files: NodeFiles;
}

/** Opens a conversation as the command does to write to it. */
async function openConversation(): Promise<Opened & { root: string }> {
  const opened = await open();
  const root = (await opened.engine.forest.roots())[0] ?? '';
  await opened.files.checkRoot(root);
  await opened.engine.recover(root);
  return { ...opened, root };
}

async function open(): Promise<Opened> {
  const store = await openSqliteStore({ directory });
  const hash = { hex: (text: string) => createHash('sha256').update(text).digest('hex') };
  const holder = `bench-${process.pid}`;
  const engine = new LoomEngine({
    store,
    clock,
    ids,
    hash,
    providers: [createTalker()],
    tools: [],
    holder,
    exclusive: true,
  });
  const files = await NodeFiles.open({ directory, forest: engine.forest, store, clock });
  return { store, engine, files };
}

function request(): { agent: string; id: string } {
  return { agent: 'person', id: ids.next() };
}

/** Says four hundred words in a quarter of a second. */
function createTalker(): Provider {
  return {
    id: 'talker',
    async *stream(): AsyncGenerator<ProviderEvent> {
      yield { type: 'call-start' };
      yield { type: 'block-start', key: 'a', message: 'm', role: 'assistant', block: { type: 'text', text: '' } };
      for (let index = 0; index < 400; index += 1) {
        yield { type: 'block-delta', key: 'a', field: 'text', text: `word ${index} ` };
        if (index % 8 === 7) await delay(5);
      }
      yield { type: 'block-end', key: 'a' };
      yield { type: 'call-end', reason: 'stop' };
    },
  };
}
