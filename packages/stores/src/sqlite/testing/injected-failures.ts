import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rounds } from '@loom/blocks/testing';
import { z } from 'zod';
import { begin } from '../../testing/writer.ts';
import { checkIntegrity, openSqliteStore } from '../index.ts';
import type { WriterLine } from './persistent-writer.ts';
import { persistentWriterProgram, writerLine } from './persistent-writer.ts';

/** The calls that SQLite makes on its files, and what each may be answered by a failing disk. */
export const failingCalls = {
  // The build of SQLite decides which of the two it uses.
  'fsync,fdatasync': ['EIO', 'ENOSPC'],
  'pwrite64,write': ['EIO', 'ENOSPC'],
  openat: ['EIO', 'EMFILE', 'EACCES'],
  ftruncate: ['EIO', 'ENOSPC'],
  pread64: ['EIO'],
  mmap: ['ENOMEM'],
  unlink: ['EIO'],
} as const;

export interface SweepOptions {
  call: string;
  error: string;
  /** True if all calls from the n-th on fail, false if the n-th alone does. */
  lasts: boolean;
  /** The place of commits: on the thread of the event loop, or on a separate one. */
  place: 'here' | 'beside';
  /** The distance between the calls that are tried. */
  stride?: number;
  /** The share of the time left for this sweep. */
  share?: number;
  /** A planted fault: a writer that does not listen to failures. */
  fault?: 'deaf';
}

export interface SweepReport {
  /** Processes in which a call failed. */
  points: number;
  /** The number of failures that the processes received. */
  failures: number;
  findings: string[];
}

/** Starts writers whose n-th call of a kind fails, for n = 1, 2, 3 … until no such call occurs or time runs out. */
export async function sweepFailures(options: SweepOptions): Promise<SweepReport> {
  const report: SweepReport = { points: 0, failures: 0, findings: [] };
  for (const round of rounds(() => false, options.share ?? Infinity)) {
    const at = 1 + (round - 1) * (options.stride ?? 1);
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'loom-injected-')));
    try {
      const directory = join(home, 'data');
      mkdirSync(directory);
      const run = await runTraced(home, directory, at, options);
      if (!run.isHit) return report;
      report.points += 1;
      report.failures += run.lines.filter(({ type }) => type === 'failed').length;
      const findings = [
        ...run.findings,
        ...wrongEnding(run.lines, options),
        ...(await wrongData(directory, run.lines)),
      ];
      const { call, error, lasts, place } = options;
      const what = `${call} ${at}${lasts ? ' and all after it' : ''}: ${error}, ${place}`;
      report.findings.push(...findings.map((finding) => `${what}: ${finding}`));
    } finally {
      rmSync(home, { recursive: true });
    }
  }
  return report;
}

/** Explains why failures cannot be injected here, and how to change that; `undefined` if they can. */
export function whyNoInjection(): string | undefined {
  if (process.platform !== 'linux') return 'needs Linux';
  const { status, stderr, error } = spawnSync(
    'strace',
    ['-f', '-o', '/dev/null', '-e', 'inject=sync:error=EIO', 'true'],
    {
      encoding: 'utf8',
    },
  );
  if (error !== undefined) return 'needs strace: install strace (apt-get install strace)';
  return status === 0 ? undefined : `needs the right to trace processes: ${stderr.trim()}`;
}

/** Parses the output of a writer, line by line. */
export function readLines(output: string): WriterLine[] {
  return output
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => writerLine.parse(JSON.parse(line)));
}

/** A writer that meets one failure goes on; one that meets nothing else ends, and says so. */
export function wrongEnding(lines: readonly WriterLine[], { lasts }: { lasts: boolean }): string[] {
  const last = lines.at(-1);
  if (last?.type !== 'ended') return ['the process did not come to its end'];
  if (last.complete || lasts) return [];
  return ['the process met one failure and could not go on'];
}

/** Returns the acknowledged records that are missing, and the records that should not be there. */
export function wrongRecords(lines: readonly WriterLine[], found: readonly string[]): string[] {
  const findings: string[] = [];
  for (const line of lines) {
    if (line.type !== 'acknowledged') continue;
    const isThere = line.texts.every((text, index) => found[line.seq - 1 + index] === text);
    if (!isThere) findings.push(`what was acknowledged as ${line.seq} is not there`);
  }
  for (let index = 0; index < found.length; index += 2) {
    const isPair =
      found[index]?.endsWith('first') === true && found[index]?.replace(/first$/u, 'second') === found[index + 1];
    if (!isPair) findings.push(`half of a batch is at ${index + 1}`);
  }
  if (new Set(found).size !== found.length) findings.push('a text is there twice');
  return findings;
}

interface TracedRun {
  isHit: boolean;
  lines: WriterLine[];
  findings: string[];
}

/** A run takes a second; one that takes so many milliseconds hangs, however busy the machine is. */
const hanging = 900_000;

async function runTraced(
  home: string,
  directory: string,
  at: number,
  { call, error, lasts, place, fault }: SweepOptions,
): Promise<TracedRun> {
  const trace = join(home, 'trace');
  const database = join(directory, 'loom.db');
  const files = ['', '-wal', '-shm', '-journal'].flatMap((end) => ['-P', database + end]);
  const inject = `inject=${call}:error=${error}:when=${at}${lasts ? '+' : ''}`;
  const strace = ['-D', '-f', '-qq', '-o', trace, ...files, '-e', `trace=${call}`, '-e', inject];
  const program = [
    process.execPath,
    persistentWriterProgram,
    directory,
    place,
    ...(fault === undefined ? [] : [fault]),
  ];
  const child = spawn('strace', [...strace, ...program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    // strace counts the calls of each thread; with one thread for files the count is the same in every run.
    env: { ...process.env, UV_THREADPOOL_SIZE: '1', NODE_COMPILE_CACHE: join(tmpdir(), 'loom-injected-compiled') },
  });
  const said = { out: '', note: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said.note += text));
  const timer = setTimeout(() => child.kill('SIGKILL'), hanging);
  const [code, signal] = z.tuple([z.number().nullable(), z.string().nullable()]).parse(await once(child, 'close'));
  clearTimeout(timer);
  const findings = code === 0 ? [] : [`the process ended with ${signal ?? code}: ${said.note.slice(0, 2000)}`];
  const isHit = existsSync(trace) && readFileSync(trace, 'utf8').includes('(INJECTED)');
  return { isHit, lines: readLines(said.out), findings };
}

/** Opens the remaining data, as the next process does. */
async function wrongData(directory: string, lines: readonly WriterLine[]): Promise<string[]> {
  try {
    const store = await openSqliteStore({ directory });
    const found = (await store.read('a', 0))?.records.map(({ text }) => text) ?? [];
    await begin(store, 'next', ['writing goes on']);
    await store.close();
    const { problems } = await checkIntegrity(directory);
    return [...wrongRecords(lines, found), ...problems.map(({ part, message }) => `${part}: ${message}`)];
  } catch (error) {
    return [`it does not open: ${String(error)}`];
  }
}
