// The cost of importing the histories of other programs: CPU of reading, and of `loom import` as it is, which also writes the readable files,
// for each second that bare `JSON.parse` takes over the same lines in the same run; its peak of memory; and the cost of following when the
// file is long.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCorpus } from '@loom/blocks/testing';
import { createTranscriptReader } from '@loom/exchange/claude-code';
import { LineSplitter } from '@loom/exchange/foreign';
import { Following, formats, knownSources, Origins } from '@loom/exchange/importing';
import type { ImportSetup } from '@loom/exchange/importing';
import { Forest } from '@loom/kernel/logs';
import { openSqliteStore } from '@loom/stores/sqlite';
import { z } from 'zod';
import { machineClock, printHeader, printRatio } from './measure.ts';

const readingLimit = 3;
const keepingLimit = 25;
/** The goal on the way to that limit. */
const keepingGoal = 30;
const memoryLimit = 300;
const linesPerMegabyte = 200;

/** The cost of a process, which it tells at its end: milliseconds of CPU of all threads, and megabytes at the peak. */
const cost = z.object({ cpu: z.number(), peak: z.number() });

let lastId = 0;
const newId = (): string => String((lastId += 1)).padStart(26, '0');

await measureAll();

async function measureAll(): Promise<void> {
  printHeader('import');
  const corpus = findCorpus('claude-code-sessions');
  if (corpus.found) await measureCorpus(corpus.directory);
  else console.log(`  ${corpus.reason}`);
  await measureFollowing();
}

async function measureCorpus(directory: string): Promise<void> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name));
  // A command of an import that has nothing to do: what starting costs is not the import's.
  const idle = costOfCommand([]);
  const { cpu, peak } = costOfCommand([directory]);
  const keeping = cpu - idle.cpu;
  let bytes = 0;
  let [parsing, reading] = [0, 0];
  for (const file of files) {
    const content = readFileSync(file);
    bytes += content.length;
    const lines: string[] = [];
    const splitter = new LineSplitter({ line: (line) => void lines.push(line), tooLong: () => {} });
    splitter.push(content);
    splitter.end();
    parsing += await cpuOf(() => lines.forEach(parse));
    reading += await cpuOf(() => {
      const reader = createTranscriptReader();
      for (const [index, line] of lines.entries()) {
        reader.push(line);
        if (index % 1000 === 999) reader.take();
      }
      reader.end();
      reader.take();
    });
  }
  console.log(`  ${files.length} sessions of Claude Code, ${(bytes / 1e6).toFixed(0)} MB`);
  printRatio('reading ÷ JSON.parse', reading, parsing, readingLimit);
  printRatio('reading and keeping durably ÷ JSON.parse', keeping, parsing, keepingLimit);
  printRatio('  the same, and the goal', keeping, parsing, keepingGoal);
  console.log(
    `  peak of memory: ${peak.toFixed(0)} MB (${peak <= memoryLimit ? 'within' : 'ABOVE'} the limit of ${memoryLimit} MB)`,
  );
}

/** Runs `loom import` as people do, into a new data folder with the readable files beside the logs. */
function costOfCommand(paths: readonly string[]): z.infer<typeof cost> {
  const folder = mkdtempSync(join(tmpdir(), 'loom-bench-import-'));
  const told = join(folder, 'cost.json');
  // Runs in every process of the command; the last one to end is the command itself.
  const tell = `process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    const cost = { cpu: (user + system) / 1000, peak: process.resourceUsage().maxRSS / 1024 };
    process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(told)}, JSON.stringify(cost));
  })`;
  const env = {
    ...process.env,
    // No histories of this machine.
    HOME: folder,
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(tell)}`,
  };
  const words = paths.length === 0 ? ['import', '--help'] : ['import', ...paths, '--data-dir', join(folder, 'data')];
  try {
    execFileSync(join(import.meta.dirname, '../loom'), words, { env, stdio: ['ignore', 'ignore', 'ignore'] });
    return cost.parse(JSON.parse(readFileSync(told, 'utf8')));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Measures the cost of one more megabyte when a file is short, and when it is long. */
async function measureFollowing(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'loom-bench-follow-'));
  const [known] = knownSources;
  if (known === undefined) return;
  mkdirSync(join(folder, 'project'));
  const file = join(folder, 'project', 'session.jsonl');
  try {
    await withForest(async (setup) => {
      writeFileSync(file, megabyte(0));
      const following = new Following({ setup, folders: [{ known, folder }], failed: (error) => console.error(error) });
      await following.start();
      const grow = async (number: number): Promise<number> => {
        const before = await nodesOf(setup);
        return cpuOf(async () => {
          appendFileSync(file, megabyte(number));
          while ((await nodesOf(setup)) < before + linesPerMegabyte) await new Promise((wake) => setTimeout(wake, 20));
        });
      };
      // The first that grows is read from its beginning.
      await grow(1);
      const early = (await grow(2)) + (await grow(3)) + (await grow(4));
      for (let number = 5; number < 47; number += 1) await grow(number);
      const late = (await grow(47)) + (await grow(48)) + (await grow(49));
      printRatio('following: 3 MB at 50 MB ÷ 3 MB at the beginning', late, early, 2);
      await following.stop();
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function megabyte(number: number): string {
  const text = 'Some words of an answer that goes on. '.repeat(125);
  return Array.from({ length: linesPerMegabyte }, (_, index) => {
    const at = number * linesPerMegabyte + index;
    const parentUuid = at === 0 ? null : `line-${at - 1}`;
    const about = { sessionId: 'session', cwd: '/', version: '2.1.325', timestamp: '2026-01-01T00:00:00.000Z' };
    return `${JSON.stringify({ type: 'user', uuid: `line-${at}`, parentUuid, isSidechain: false, ...about, message: { role: 'user', content: text } })}\n`;
  }).join('');
}

async function nodesOf({ forest }: ImportSetup): Promise<number> {
  const [root] = await forest.roots();
  return root === undefined ? 0 : (await forest.log(root).state()).nodes.size;
}

async function withForest(work: (setup: ImportSetup) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'loom-bench-import-'));
  const store = await openSqliteStore({ directory });
  const forest = new Forest({ store, clock: machineClock, ids: { next: newId } });
  try {
    const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
    await work({ forest, blobs, newId, origins: new Origins(), formats });
  } finally {
    forest.close();
    await store.close();
    rmSync(directory, { recursive: true });
  }
}

/** Milliseconds of CPU, of all threads. */
async function cpuOf(work: () => unknown): Promise<number> {
  const before = cpuSoFar();
  await work();
  return cpuSoFar() - before;
}

function cpuSoFar(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}
