// The cost of importing the histories of other programs: CPU of reading, and of reading and keeping durably, for each second that bare
// `JSON.parse` takes over the same lines in the same run; the peak of memory; and the cost of following when the file is long.
import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTranscriptReader } from '@loom/exchange/claude-code';
import { LineSplitter } from '@loom/exchange/foreign';
import { Following, formats, knownSources, Origins, runImport } from '@loom/exchange/importing';
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

/** The report of a process at the end of an import. */
const kept = z.object({ nodes: z.number(), blocks: z.number(), keeping: z.number(), peak: z.number() });

let lastId = 0;
const newId = (): string => String((lastId += 1)).padStart(26, '0');

const [, , task, folder = ''] = process.argv;
if (task === 'keep') console.log(JSON.stringify(await keepAll(folder)));
else await measureAll();

async function measureAll(): Promise<void> {
  printHeader('import');
  // Loaded here alone: what tests need would count as memory of the import.
  const { findCorpus } = await import('@loom/blocks/testing');
  const corpus = findCorpus('claude-code-sessions');
  if (corpus.found) await measureCorpus(corpus.directory);
  else console.log(`  ${corpus.reason}`);
  await measureFollowing();
}

async function measureCorpus(directory: string): Promise<void> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.jsonl'))
    .map((entry) => join(entry.parentPath, entry.name));
  // With the young generation, and the arenas of threads, that `loom import` has.
  const own = ['--max-semi-space-size=8', '--heap-growing-percent=60', import.meta.filename, 'keep', directory];
  const env = { ...process.env, MALLOC_ARENA_MAX: '2' };
  const { nodes, blocks, keeping, peak } = kept.parse(
    JSON.parse(execFileSync(process.execPath, own, { encoding: 'utf8', env })),
  );
  console.log(`  ${nodes} messages, ${blocks} blocks`);
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

/** Takes everything in, in a process that does nothing else. */
async function keepAll(directory: string): Promise<z.infer<typeof kept>> {
  let [nodes, blocks] = [0, 0];
  let began = 0;
  const work = async (setup: ImportSetup): Promise<void> => {
    began = cpuSoFar();
    const job = { signal: new AbortController().signal, report: () => {} };
    const report = await runImport(setup, { paths: [directory] }, job);
    [nodes, blocks] = [report.nodes_added, report.blocks_added];
  };
  let keeping = 0;
  await withForest(work, () => (keeping = cpuSoFar() - began));
  return { nodes, blocks, keeping, peak: process.resourceUsage().maxRSS / 1024 };
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

async function withForest(work: (setup: ImportSetup) => Promise<void>, closed = (): void => {}): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'loom-bench-import-'));
  const store = await openSqliteStore({ directory });
  const forest = new Forest({ store, clock: machineClock, ids: { next: newId } });
  try {
    const blobs = { put: (bytes: Uint8Array): Promise<string> => store.putBlob(bytes) };
    await work({ forest, blobs, newId, origins: new Origins(), formats });
  } finally {
    forest.close();
    await store.close();
    closed();
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
