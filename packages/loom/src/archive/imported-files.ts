import { FolderError } from '@loom/data-folder/files';
import type { ImportReport } from '@loom/stores/archive';
import { count } from '../terminal/progress.ts';
import type { Progress } from '../terminal/progress.ts';
import { withWriter } from '../runtime/opened-folder.ts';

/**
 * Writes the files of conversations that have come with archives: from then on they, too, are there twice. Ending it early loses
 * nothing, since the files of a conversation are also written when it is next opened.
 */
export async function writeImportedFiles(
  dataDir: string,
  reports: readonly ImportReport[],
  progress: Progress,
  note: (text: string) => void,
): Promise<void> {
  try {
    await writeFiles(dataDir, reports, progress);
  } catch (error) {
    // The process that has come in between writes them; the imported conversations are there.
    if (!(error instanceof FolderError) || error.code !== 'locked') throw error;
    note(`${error.message}, so the files of each imported conversation are written when it is next opened.\n`);
  }
}

async function writeFiles(dataDir: string, reports: readonly ImportReport[], progress: Progress): Promise<void> {
  const roots = [...new Set(reports.flatMap((report) => report.roots))];
  let done = 0;
  while (done < roots.length) {
    // Loaded conversations are dropped now and then, by starting over with a new writer.
    await withWriter({ dataDir }, async ({ check, peek }) => {
      for (let loaded = 0; done < roots.length && loaded < mostLoaded; done += 1) {
        progress.tick(() => `writing files: ${done} of ${count(roots.length, 'conversation')}`);
        const root = roots[done] ?? '';
        await check(root);
        loaded += (await peek(root))?.nodes.size ?? 0;
      }
    });
  }
}

/** The most nodes loaded at once. */
const mostLoaded = 30_000;
