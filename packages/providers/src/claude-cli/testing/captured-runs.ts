import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env['LOOM_CAPTURES'] ?? join(import.meta.dirname, '../../../../../../shared/captures');

/** The reason tests over captures are skipped, or `false`. */
export const noCaptures = existsSync(join(folder, 'claude'))
  ? false
  : 'no captures of agent CLIs here: put them into ../shared/captures or set LOOM_CAPTURES';

/** The output of each captured run, by name. */
export function capturedRuns(): { name: string; lines: string[] }[] {
  if (noCaptures !== false) return [];
  return readdirSync(join(folder, 'claude'))
    .sort()
    .map((name) => ({ name, file: join(folder, 'claude', name, 'stdout.ndjson') }))
    .filter(({ file }) => existsSync(file))
    .map(({ name, file }) => ({
      name,
      lines: readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== ''),
    }));
}
