// The program of `npm test` once everything is installed: all checks, and beside them all tests.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Check } from '../checks/finding.ts';
import { formatFinding } from '../checks/finding.ts';
import { checks } from '../checks/index.ts';
import { listSources, readText } from '../checks/repository.ts';
import { readCurrent } from './build/builds.ts';
import { listChangedFiles } from './changed-files.ts';
import { nearestTests } from './nearest-tests.ts';
import { findReachedTests } from './reached-tests.ts';
import type { Stage } from './stages.ts';
import { runStages } from './stages.ts';
import { hasChromium, installBubblewrap, installChromium, installPostgres } from './system-packages.ts';
import { usesDatabase, withDatabase } from './test-database.ts';
import { describeSlowest, readTimes, runTestFiles, spell } from './test-files.ts';
import { isInBrowser, needsBuild } from './test-processes.ts';

const root = join(import.meta.dirname, '..');
const usage = `npm test                    everything
npm test -- checks          all checks: ${[...checks.keys()].join(', ')}
npm test -- <check> …       some of them
npm test -- changed         what a change can reach, nearest first, in a minute: quick checks, types, and tests by what they import
npm test -- unit [text] …   the tests, or those in files whose path contains a text
npm test -- slowest         the test files that took longest in their last runs here`;

/**
 * The time for the tests of a change, in milliseconds, one after the other. Four run at a time, so they take about 20 seconds beside the
 * types, and the whole stays below a minute in a fresh clone.
 */
const room = 70_000;
const read = (file: string): string => readText(root, file);
const slowChecks = ['lint', 'dead-code', 'browser-clean', 'examples'];

const lanes = chooseStages(process.argv.slice(2));
if (lanes === undefined) console.error(usage);
const code = lanes === undefined ? 2 : await runStages(lanes, console.log);
// A program that a failed test has left behind holds the pipes of this run, which would wait for it for good.
process.exit(code);

/** The tests beside the checks: some of both leave a core with nothing to do. */
function chooseStages([first, ...rest]: readonly string[]): Stage[][] | undefined {
  const all = [...checks].map(([name, check]) => checkStage(name, check));
  if (first === undefined) return [all, [testStage([])]];
  if (first === 'checks' && rest.length === 0) return [all];
  if (first === 'changed' && rest.length === 0) return chooseReached(all);
  if (first === 'unit') return [[testStage(rest)]];
  if (first === 'slowest' && rest.length === 0) return [[slowestStage()]];
  const chosen = all.filter(({ name }) => [first, ...rest].includes(name));
  return chosen.length === rest.length + 1 ? [chosen] : undefined;
}

/**
 * Checks that are quick, and the tests that a change can reach, as many of the nearest as a minute has room for. Installing a browser takes
 * half of it, so without one no browser tests are chosen but those that were changed.
 */
function chooseReached(all: readonly Stage[]): Stage[][] {
  const changed = listChangedFiles(root);
  const reached = findReachedTests(root, changed);
  const canRun = (file: string): boolean => !isInBrowser(file) || hasChromium() || changed.includes(file);
  const runnable = new Map([...reached].filter(([file]) => canRun(file)));
  const { chosen, left } = nearestTests({ reached: runnable, changed, known: readTimes(root), room, read });
  const quick = all.filter(({ name }) => !slowChecks.includes(name));
  const slow = all.filter((stage) => !quick.includes(stage)).map(({ name }) => name);
  console.log(`${spell(changed.length, 'changed file')} can reach ${spell(reached.size, 'test file')}`);
  const missing = reached.size - runnable.size;
  if (left.length > 0) {
    console.log(`left out: ${spell(left.length, 'test file')} farther away or too long, the nearest of them`);
    for (const file of left.slice(0, 3)) console.log(`  ${file}`);
  }
  if (missing > 0) console.log(`left out: ${spell(missing, 'test file')} of the page, since there is no Chromium yet`);
  console.log(`left out: the checks ${slow.join(', ')}; npm test runs everything`);
  return chosen.length === 0 ? [quick] : [quick, [fileStage(chosen)]];
}

function slowestStage(): Stage {
  const run = async (): Promise<number> => {
    for (const line of describeSlowest(root, 40)) console.log(line);
    return 0;
  };
  return { name: 'slowest', run };
}

function checkStage(name: string, check: Check): Stage {
  const run = async (): Promise<number> => {
    const findings = await check(root);
    for (const finding of findings) console.log(`  ${formatFinding(finding).replaceAll('\n', '\n    ')}`);
    return findings.length;
  };
  return { name, run };
}

/**
 * Builds once before all of them, so that they do not build side by side, and tells them which program to start. The command builds
 * itself, with the page, when it is run.
 */
async function build(): Promise<void> {
  await promisify(execFile)(join(root, 'loom'), ['--version']);
  const program = readCurrent(join(root, '.cache/built'));
  if (program !== undefined) process.env['LOOM_PROGRAM'] = join(root, program);
}

function testStage(texts: readonly string[]): Stage {
  const files = listSources(root)
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => texts.length === 0 || texts.some((text) => file.includes(text)));
  if (files.length > 0) return fileStage(files);
  const run = (): Promise<number> => Promise.reject(new Error(`no test file has a path with ${texts.join(' or ')}`));
  return { name: 'tests', run };
}

/** Returns true for tests that run commands in a sandbox where there is one. */
function isInSandbox(file: string): boolean {
  return /^packages\/tools\/|\/tool-turns\.test\.ts$/u.test(file);
}

function fileStage(files: readonly string[]): Stage {
  const run = async (): Promise<number> => {
    if (files.some(isInBrowser)) await installChromium(console.log);
    if (files.some(isInSandbox)) await installBubblewrap(console.log);
    const needsDatabase = files.some((file) => usesDatabase(file, read(file)));
    if (needsDatabase) await installPostgres(console.log);
    if (files.some((file) => needsBuild(file, read(file)))) await build();
    const runFiles = (): Promise<number> => runTestFiles(root, files);
    return needsDatabase ? withDatabase(runFiles) : runFiles();
  };
  return { name: 'tests', run };
}
