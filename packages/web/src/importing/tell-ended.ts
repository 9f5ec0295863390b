import type { Loom } from '../app/loom.ts';
import { reportWords } from './import-words.ts';
import type { EndedImport } from './imports.ts';

/** Reports the result of an import: of files by the report itself, since the reader waits for it; of programs in passing. */
export function tellEnded({ imports, notices }: Pick<Loom, 'imports' | 'notices'>, ended: EndedImport): void {
  const { report, failure, sources, what } = ended;
  if (sources.length === 0) imports.shown.set(ended);
  else if (report === undefined) notices.fail(`The import of ${what} has ended early: ${failure ?? ''}`);
  else if (!imports.isWatched.getSnapshot())
    notices.tell(`${what}: ${reportWords(report)}`, { label: 'Report', run: () => imports.shown.set(ended) });
}
