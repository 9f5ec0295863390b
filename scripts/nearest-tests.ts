import { isInBrowser, longFiles, needsBuild } from './test-processes.ts';
import type { KnownTimes } from './test-progress.ts';

export interface NearestOptions {
  /** The distance of each test file from the change: see findReachedTests. */
  readonly reached: ReadonlyMap<string, number>;
  readonly changed: readonly string[];
  readonly known: KnownTimes;
  /** The time for all of them one after the other, in milliseconds. */
  readonly room: number;
  readonly read: (file: string) => string;
}

/**
 * Returns the nearest tests that together take no longer than there is room, and the others, both nearest first. Tests that are equally far
 * come in the order of the words that their paths share with a changed path, then the shortest first. At least one is chosen.
 */
export function nearestTests(options: NearestOptions): { chosen: string[]; left: string[] } {
  const { reached, known, read } = options;
  const words = new Set(options.changed.flatMap(wordsOf));
  const tests = [...reached].map(([file, distance]) => ({
    file,
    distance,
    shared: wordsOf(file).filter((word) => words.has(word)).length,
    time: known[file] ?? usualTime(file, read(file)),
  }));
  tests.sort(
    (one, other) =>
      one.distance - other.distance ||
      other.shared - one.shared ||
      one.time - other.time ||
      (one.file < other.file ? -1 : 1),
  );
  const chosen: string[] = [];
  const left: string[] = [];
  let room = options.room;
  for (const { file, time } of tests) {
    const fits = time <= room || chosen.length === 0;
    if (fits) room -= time;
    (fits ? chosen : left).push(file);
  }
  return { chosen, left };
}

/** Returns the words of a path that say what a file is about, once each. */
function wordsOf(path: string): string[] {
  return [...new Set(path.split(/[^a-z\d]+/u))].filter((word) => !plainWords.has(word));
}

const plainWords: ReadonlySet<string> = new Set([
  '',
  'packages',
  'src',
  'e2e',
  'testing',
  'index',
  'test',
  'ts',
  'tsx',
]);

/** Returns the time of a file that was never run here, in milliseconds: what tests of its kind take where four files run at once. */
function usualTime(file: string, text: string): number {
  if (longFiles.has(file)) return 15_000;
  const tests = text.match(/^\s*(?:await )?test\(/gmu)?.length ?? 1;
  if (isInBrowser(file)) return 3000 + 5000 * tests;
  // Tests of programs run and build some.
  if (!file.startsWith('packages/')) return 1500 * tests;
  return 500 + (needsBuild(file, text) ? 1000 : 100) * tests;
}
