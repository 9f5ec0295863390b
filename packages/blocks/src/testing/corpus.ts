import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** The folder of a part of the corpus, or the reason that it is not there. */
export type Corpus = { found: true; directory: string } | { found: false; reason: string };

/**
 * The unpacked archive of that name. The corpus holds other people's work and is not part of the repository: it is looked
 * for in `LOOM_CORPUS`, else beside the repository. Unpacked once per archive into the temporary directory.
 */
export function findCorpus(name: string): Corpus {
  const home = process.env['LOOM_CORPUS'] ?? resolve(import.meta.dirname, '../../../../../shared/corpus');
  const archive = join(home, `${name}.tar.xz`);
  if (!existsSync(archive)) {
    return { found: false, reason: `no corpus: ${name}.tar.xz is not in LOOM_CORPUS nor beside the repository` };
  }
  const { size, mtimeMs } = statSync(archive);
  const directory = join(tmpdir(), `loom-corpus-${size}-${Math.trunc(mtimeMs)}`, name);
  if (!existsSync(directory)) unpack(archive, directory);
  return { found: true, directory };
}

/** Unpacks beside the target and renames, so that two test processes cannot see half an archive. */
function unpack(archive: string, directory: string): void {
  mkdirSync(resolve(directory, '..'), { recursive: true });
  const temporary = mkdtempSync(`${directory}-`);
  execFileSync('tar', ['-C', temporary, '-xJf', archive]);
  try {
    renameSync(temporary, directory);
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    if (!existsSync(directory)) throw error;
  }
}

/** Returns the seed of random values: the same in every run of the tests, another in each deep run. `LOOM_SEED=<number>` sets it. */
export function seedOfRun(): number {
  return Number(process.env['LOOM_SEED'] ?? runs(260_761, Date.now() % 1_000_000));
}

/** Returns the number of tries: in every run of the tests, or in the deep run (`npm run test:deep`). */
export function runs(everyRun: number, deepRun: number): number {
  return process.env['LOOM_DEEP'] === undefined ? everyRun : deepRun;
}
