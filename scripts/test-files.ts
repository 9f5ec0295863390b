import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { inspect, styleText } from 'node:util';
import { longestFirst, TestProgress, type KnownTimes } from './test-progress.ts';

/** What test files have shown. */
interface Tally {
  passed: number;
  /** The names of tests that failed, with their places. */
  failed: string[];
  /** Why tests were skipped, and how many of them for each reason. */
  skipped: Map<string, number>;
}

/**
 * Runs test files, three at a time: some tests run whole programs of their own, and wait for them. Prints what fails with its reason, now and then how far
 * it is, and a summary; returns how many tests failed.
 */
export async function runTestFiles(root: string, files: readonly string[]): Promise<number> {
  const known = readTimes(root);
  const progress = new TestProgress(files, known, workers);
  const screen = new StatusLine();
  const tally: Tally = { passed: 0, failed: [], skipped: new Map() };
  /** What files wrote to standard error: of no interest unless one of their tests fails. */
  const errorOutput = new Map<string, string[]>();
  const paths = longestFirst(files, known).map((file) => join(root, file));
  // Most files are short, and loading sources is half of their time.
  const env = { NODE_COMPILE_CACHE: join(root, '.cache/compiled'), ...process.env };
  const execArgv = ['--import', join(root, 'scripts/steady-seed.ts')];
  const tests = run({ files: paths, concurrency: workers, cwd: root, env, execArgv });
  const nameOf = (path: string): string => relative(root, path);
  tests.on('test:dequeue', ({ name }) => progress.begin(nameOf(name), performance.now()));
  tests.on('test:complete', ({ name }) => progress.end(nameOf(name), performance.now()));
  tests.on('test:pass', ({ skip, details }) => {
    if (details.type === 'suite') return;
    if (skip === undefined || skip === false) tally.passed += 1;
    else tally.skipped.set(String(skip), (tally.skipped.get(String(skip)) ?? 0) + 1);
  });
  tests.on('test:fail', ({ name, file, line, details }) => {
    const { cause } = details.error;
    const place = file === undefined ? '' : ` (${nameOf(file)}${line === undefined ? '' : `:${line}`})`;
    tally.failed.push(`${name}${place}`);
    screen.print(`${styleText('red', '✖')} ${name}${place}\n${indent(inspect(cause ?? details.error))}`);
    const notes = errorOutput.get(file ?? '') ?? [];
    if (notes.length > 0) screen.print(indent(`it wrote to standard error:\n${notes.join('')}`.trimEnd()));
    errorOutput.delete(file ?? '');
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
  await once(tests.resume(), 'end');
  clearInterval(pulse);
  screen.clear();
  for (const [reason, count] of tally.skipped) console.log(`  ${spell(count, 'test')} skipped: ${reason}`);
  const skipped = [...tally.skipped.values()].reduce((sum, count) => sum + count, 0);
  // Again at the end: of a long run only the last lines are looked at, or kept.
  for (const test of tally.failed) console.log(`${styleText('red', '✖')} ${test}`);
  console.log(`tests: ${tally.passed} passed, ${tally.failed.length} failed, ${skipped} skipped`);
  keepTimes(root, { ...known, ...progress.times });
  return tally.failed.length;
}

const workers = 3;

/** How much of the standard error output of a file is kept, in writes. */
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

function readTimes(root: string): KnownTimes {
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

function spell(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
