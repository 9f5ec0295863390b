import type { KnownTimes } from './test-progress.ts';

/** Test files that run in one process, one after the other. */
export type TestProcess = readonly string[];

/**
 * Divides test files among processes. Most of a short file's time goes into starting a process and loading the packages, so files of one package share
 * both, in the order of their paths: the same files give the same processes. Fewer files go into smaller processes, so that every worker has some. Browser tests share apart from the others of their package.
 */
export function planProcesses(files: readonly string[], read: (file: string) => string): TestProcess[] {
  const alone = files.filter((file) => reasonToBeAlone(file, read(file)) !== undefined);
  const packages = Map.groupBy(
    files.filter((file) => !alone.includes(file)),
    (file) => (isInBrowser(file) ? 'browser' : file.split('/').slice(0, 2).join('/')),
  );
  const shared = [...packages].flatMap(([name, all]) => {
    const [least, most] = name === 'browser' ? filesOfBrowser : filesOfProcess;
    return divide(all.toSorted(), Math.min(most, Math.max(least, Math.ceil(all.length / workers))));
  });
  return [...alone.map((file) => [file]), ...shared];
}

/**
 * The number of processes, for two cores: those of the command line wait for two thirds of their time, and three of them left a sixth of
 * the cores idle.
 */
export const workers = 4;

/** The numbers of files in a process, least and most: enough that loading is little beside running, and so few that a crash has few suspects. */
const filesOfProcess = [4, 20] as const;

/** The numbers of browser files in one process; these also share a browser and a server. They take so long that all processes get some of them. */
const filesOfBrowser = [1, 4] as const;

/** Returns true for the tests that load the page in a browser. */
export function isInBrowser(file: string): boolean {
  return file.startsWith('packages/web/e2e/');
}

/** Returns true for tests that run the build: those in a browser, those of the server, and those that start the command. */
export function needsBuild(file: string, text: string): boolean {
  if (isInBrowser(file) || file.startsWith('packages/loom/src/serve/')) return true;
  return /testing\/(?:loom-process|slow-answer)\.ts'/u.test(text);
}

/** Divides files into equal parts, none of which is larger than the limit. */
function divide(files: readonly string[], most: number): string[][] {
  const parts = Math.ceil(files.length / most);
  const at = (part: number): number => Math.round((part * files.length) / parts);
  return Array.from({ length: parts }, (_, part) => files.slice(at(part), at(part + 1)));
}

/** Returns the reason a test file needs a separate process, or undefined if others may run in it, too. */
export function reasonToBeAlone(file: string, text: string): string | undefined {
  if (longFiles.has(file)) return 'it takes long';
  if (!file.startsWith('packages/')) return 'it is about programs, which it runs';
  return Object.entries(marks).find(([, mark]) => mark.test(text))?.[0];
}

/** The marks of a file that others in its process would notice, or that would go wrong with others. */
const marks: Readonly<Record<string, RegExp>> = {
  'it has hooks for all tests of a process':
    /import\s*\{[^}]*\b(?:before|after|beforeEach|afterEach)\b[^}]*\}\s*from 'node:test'/u,
  'it waits for tests while it is loaded': /^(?:const .+ = )?await (?:test|it|describe|suite)\(/mu,
  'it changes the process':
    /\bprocess\.(?:chdir|exit|exitCode|umask|abort|on|once|off|emit|addListener|removeListener|removeAllListeners|setUncaughtExceptionCaptureCallback)\b/u,
  'it changes the environment': /\bprocess\.env(?:\.\w+|\[[^\]]+\])?\s*=[^=]|(?:delete |assign\()process\.env/u,
  'it changes what is global':
    /\b(?:set|defineProperty|deleteProperty|assign)\(globalThis|\bglobalThis(?:\.\w+|\[[^\]]+\])\s*=[^=]|\bdefineProperty\(\w+\.prototype\b|\.prototype\.\w+\s*=[^=]|\bmock\.(?:timers|module)|\bmock\.method\(console/u,
  'it measures time, memory or work':
    /\bcountWork\(|\bperformance\.now\(|\bprocess\.(?:cpuUsage|memoryUsage|resourceUsage|hrtime)\b|'node:v8'|\bgc\(/u,
};

/**
 * Files that take five seconds or more of one core: a separate process costs them little, and they are begun early. They also go without
 * what the test runner does for every promise, see test-process.ts.
 */
export const longFiles: ReadonlySet<string> = new Set([
  'packages/simulator/src/simulation.test.ts',
  'packages/blocks/src/document/undo.fuzz.test.ts',
  'packages/exchange/src/ai-sdk/long-input.test.ts',
  'packages/kernel/src/block-tools/editing-traces.test.ts',
  'packages/kernel/src/turn/room/full-context.test.ts',
  'packages/loom/src/any-model-continues.test.ts',
  'packages/loom/src/testing/hostile-values/hostile-values.test.ts',
  'packages/node-files/src/adoption/import-root.test.ts',
  'packages/node-files/src/migration/migration-crashes.test.ts',
  'packages/node-files/src/writing/crashes.test.ts',
  'packages/providers/src/full-windows.test.ts',
  'packages/providers/src/openai/provider.test.ts',
  'packages/providers/src/testing/recordings/recordings.test.ts',
  'packages/providers/src/testing/recordings/splitting.test.ts',
  'packages/server/src/feed/slow-readers.test.ts',
  'packages/stores/src/files/crashes.test.ts',
  'packages/stores/src/sqlite/crashes.test.ts',
  'packages/sync/src/sync.fuzz.test.ts',
]);

/**
 * Processes in the order in which they take least time together: the longest first; those that are not known before all, and of these those in a browser,
 * then those that are long everywhere, then those about programs, so that none of them is left to run alone at the end of the first run in a checkout.
 */
export function longestFirst(processes: readonly TestProcess[], known: KnownTimes): TestProcess[] {
  const weight = (process: TestProcess): number =>
    process.reduce((sum, file) => sum + (known[file] ?? guessedWeight(file)), 0);
  return processes.toSorted((one, other) => weight(other) - weight(one) || (first(one) < first(other) ? -1 : 1));
}

function guessedWeight(file: string): number {
  const longerThanAny = 1e9;
  if (file.includes('/e2e/')) return 1000 * longerThanAny;
  if (longFiles.has(file)) return 100 * longerThanAny;
  // Tests of programs run and build some.
  return (file.startsWith('packages/') ? 1 : 40) * longerThanAny;
}

function first(process: TestProcess): string {
  return process[0] ?? '';
}
