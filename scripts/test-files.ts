import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { inspect, styleText } from 'node:util';
import { sampleNumber } from './sample.ts';
import { readProcesses, Standstill } from './standstill.ts';
import { longestFirst, planProcesses, workers, type TestProcess } from './test-processes.ts';
import { TestProgress, type KnownTimes } from './test-progress.ts';

/** The results of test files. */
interface Tally {
  passed: number;
  /** The name, place and reason of each test that failed. */
  failed: Failure[];
  /** The reasons tests were skipped, and the number of tests for each. */
  skipped: Map<string, number>;
}

interface Failure {
  title: string;
  reason?: string;
}

/**
 * Runs test files, in four processes at a time: some tests run whole programs, and wait for them. Prints failures with their reasons, now
 * and then the progress, and a summary; returns the number of failed tests.
 */
export async function runTestFiles(root: string, files: readonly string[], limits = usualLimits): Promise<number> {
  const known = readTimes(root);
  const progress = new TestProgress(files, known, workers);
  const screen = new StatusLine();
  const tally: Tally = { passed: 0, failed: [], skipped: new Map() };
  /** The standard error of processes: of no interest unless one of their tests fails. */
  const errorOutput = new Map<string, string[]>();
  const plan = longestFirst(
    planProcesses(files, (file) => readFileSync(join(root, file), 'utf8')),
    known,
  );
  /** The processes by their entries. */
  const processes = new Map(plan.map((process) => [entryOf(root, process), process]));
  // Most files are short, and loading sources is half of their time.
  const sample = sampleNumber(root);
  const env = { NODE_COMPILE_CACHE: join(root, '.cache/compiled'), ...process.env, LOOM_SAMPLE: sample };
  const execArgv = ['--import', join(root, 'scripts/test-process.ts'), `--test-timeout=${limits.test}`];
  const tests = run({ files: [...processes.keys()], concurrency: workers, cwd: root, env, execArgv });
  const nameOf = (path: string): string => relative(root, path);
  tests.on('test:dequeue', ({ name, file, entryFile }) => {
    const [only, ...others] = processes.get(name) ?? [];
    if (only !== undefined && others.length === 0) progress.begin(only, performance.now());
    const company = processes.get(entryFile ?? '') ?? [];
    // Tests that several files have in common are written in none of them, and taken for ones of the file before.
    const begun = nameOf(file ?? '');
    if (company.length > 1 && company.includes(begun)) progress.goOn(company, begun, performance.now(), name);
  });
  /** The processes that have reported a test. One that reports none has shown nothing, and fails. */
  const heard = new Set<string>();
  tests.on('test:complete', ({ name, file, entryFile, nesting, details }) => {
    if (!processes.has(name)) heard.add(entryFile ?? file ?? '');
    progress.end(processes.get(name) ?? [], performance.now());
    const company = processes.get(entryFile ?? '');
    if (company !== undefined && nesting === 0) progress.add(company, nameOf(file ?? ''), details.duration_ms);
  });
  tests.on('test:pass', ({ name, skip, details }) => {
    if (details.type === 'suite' || processes.has(name)) return;
    if (skip === undefined || skip === false) tally.passed += 1;
    else tally.skipped.set(String(skip), (tally.skipped.get(String(skip)) ?? 0) + 1);
  });
  tests.on('test:fail', ({ name, file, entryFile, line, details }) => {
    const { cause } = details.error;
    const company = processes.get(name);
    if (company !== undefined) heard.add(name);
    const place = file === undefined ? '' : ` (${nameOf(file)}${line === undefined ? '' : `:${line}`})`;
    const title = company === undefined ? `${name}${place}` : describeProcess(company, progress.lastOf(company));
    // Of a process the error itself holds the exit code or the signal.
    const reason = inspect(company === undefined ? (cause ?? details.error) : details.error);
    tally.failed.push({ title, reason });
    screen.print(describeFailure({ title, reason }));
    const source = entryFile ?? file ?? '';
    const notes = errorOutput.get(source) ?? [];
    if (notes.length > 0) screen.print(indent(`it wrote to standard error:\n${notes.join('')}`.trimEnd()));
    errorOutput.delete(source);
  });
  tests.on('test:diagnostic', ({ message, file }) => {
    // The others count tests.
    if (
      file !== undefined &&
      !/^(?:tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/u.test(message)
    ) {
      screen.print(`  ${nameOf(file)}: ${message}`);
    }
  });
  tests.on('test:stderr', ({ file, message }) => {
    errorOutput.set(file, [...(errorOutput.get(file) ?? []), message].slice(-errorLines));
  });
  const pulse = setInterval(() => screen.show(progress.describe(performance.now())), screen.interval);
  const standstill = new Standstill(limits.standstill);
  const watch = setInterval(() => {
    for (const { child, pids } of standstill.find(process.pid, readProcesses(), performance.now())) {
      const entry = [...processes.keys()].find((path) => child.command.includes(path));
      if (entry === undefined) continue;
      screen.print(
        `  ended, since neither it nor what it started did anything for ${limits.standstill / 1000} s: ${child.command}`,
      );
      for (const pid of pids) endProcess(pid);
    }
  }, limits.standstill / 20);
  await once(tests.resume(), 'end');
  clearInterval(pulse);
  clearInterval(watch);
  screen.clear();
  for (const [entry, company] of processes)
    if (!heard.has(entry)) tally.failed.push({ title: `no test was run of ${company.join(', ')}` });
  for (const [reason, count] of tally.skipped) console.log(`  ${spell(count, 'test')} skipped: ${reason}`);
  const skipped = [...tally.skipped.values()].reduce((sum, count) => sum + count, 0);
  // Again at the end: of a long run only the last lines are looked at, or kept.
  for (const failure of tally.failed) console.log(describeFailure(failure, linesAtEnd));
  console.log(`tests: ${tally.passed} passed, ${tally.failed.length} failed, ${skipped} skipped`);
  if (tally.failed.length > 0) console.log(`LOOM_SAMPLE=${sample} tries the same samples again`);
  keepTimes(root, { ...known, ...progress.times });
  return tally.failed.length;
}

/** The test files that took longest in their last runs here, a line each. */
export function describeSlowest(root: string, count: number): string[] {
  const times = Object.entries(readTimes(root)).toSorted(([, one], [, other]) => other - one);
  return times
    .slice(0, count)
    .map(([file, milliseconds]) => `${(milliseconds / 1000).toFixed(1).padStart(7)} s  ${file}`);
}

/** Returns the entry of a process: its test file, or a program that loads its files. */
function entryOf(root: string, files: TestProcess): string {
  const [only, ...others] = files;
  if (only !== undefined && others.length === 0) return join(root, only);
  const text = `import { test } from 'node:test';
import { loadTestFiles } from '../../scripts/shared-process.ts';

const files = {
${files.map((file) => `  '${file}': () => import('../../${file}'),`).join('\n')}
};
await loadTestFiles(files, (file, reason) => {
  test(\`\${file} cannot be loaded\`, () => {
    throw reason;
  });
});
`;
  const folder = join(root, '.cache/test-processes');
  const entry = join(folder, `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.ts`);
  if (existsSync(entry)) return entry;
  mkdirSync(folder, { recursive: true });
  // Another run may want the same one: it finds all of it, or nothing.
  writeFileSync(`${entry}.${process.pid}`, text);
  renameSync(`${entry}.${process.pid}`, entry);
  return entry;
}

/** Describes a failure, with at most so many lines of the reason. */
function describeFailure({ title, reason = '' }: Failure, most = Infinity): string {
  const lines = reason === '' ? [] : reason.split('\n');
  const left = lines.length - most;
  const shown = left > 0 ? [...lines.slice(0, most), `… ${spell(left, 'more line')} above`] : lines;
  return [`${styleText('red', '✖')} ${title}`, ...shown.map(indent)].join('\n');
}

/** For a process that failed apart from its tests. */
function describeProcess(files: TestProcess, last: string | undefined): string {
  if (files.length < 2) return files.join('');
  const suspect = last === undefined ? '' : `; the last test that it told of is ${last}`;
  return `a process failed that test files share${suspect}:\n${files.map((file) => `    ${file}`).join('\n')}`;
}

/** Limits for tests, in milliseconds. */
interface TestLimits {
  /** The longest time for a test: the longest takes half a minute on a machine that has nothing else to do. */
  test: number;
  /** The longest time in which a process and all that it started do no work. Where the system does not list processes, only the other limit holds. */
  standstill: number;
}

const usualLimits: TestLimits = { test: 1_800_000, standstill: 240_000 };

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended first.
  }
}

/** The number of lines of a failure's reason repeated at the end. */
const linesAtEnd = 20;

/** The amount of a file's standard error that is kept, in writes. */
const errorLines = 50;

/** A line that is written over on a screen, and now and then printed where there is none. */
class StatusLine {
  readonly #isScreen = process.stdout.isTTY;
  readonly interval = this.#isScreen ? 500 : 15_000;

  show(line: string): void {
    const width = process.stdout.columns || 80;
    if (this.#isScreen) process.stdout.write(`\r\u001B[K${styleText('dim', line.slice(0, width - 1))}`);
    else console.log(line);
  }

  clear(): void {
    if (this.#isScreen) process.stdout.write('\r\u001B[K');
  }

  print(text: string): void {
    this.clear();
    console.log(text);
  }
}

/** Reads the durations of test files in their last runs here. */
export function readTimes(root: string): KnownTimes {
  try {
    const times: unknown = JSON.parse(readFileSync(timesFile(root), 'utf8'));
    if (typeof times !== 'object' || times === null) return {};
    return Object.fromEntries(Object.entries(times).filter((entry) => typeof entry[1] === 'number'));
  } catch {
    return {};
  }
}

/** For the order and the estimates of the next run; without them it works as well. */
function keepTimes(root: string, times: KnownTimes): void {
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(timesFile(root), JSON.stringify(times));
}

function timesFile(root: string): string {
  return join(root, '.cache/test-times.json');
}

function indent(text: string): string {
  return text.replaceAll(/^/gmu, '  ');
}

export function spell(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
