import { importArchive, renewCounters } from '@loom/stores/archive';
import type { ImportReport } from '@loom/stores/archive';
import { readLines } from '../../archive/archive-file.ts';
import { explainArchives } from '../../archive/archive-failure.ts';
import { describeContents, noteMissing, verifyFile } from '../../archive/export-lines.ts';
import { writeImportedFiles } from '../../archive/imported-files.ts';
import { openStore, restoreFolder, settleRestoration } from '@loom/data-folder';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { UsageError } from '../../command-line/failure.ts';
import { count, Progress } from '../../terminal/progress.ts';
import { chooseStore } from '../../runtime/chosen-store.ts';
import { noteOf, printFolderNews } from '../../runtime/files-note.ts';
import { createSortableIds } from '../../runtime/sortable-ids.ts';
import type { StoreKind } from '@loom/data-folder/store-kind';
import { folderKind } from '../../command-line/store-kind.ts';
import { friendlyPath } from '../config/config-view.ts';

/** `loom restore-backup`: a data folder as it was when it was backed up. */
export function restoreBackup({ words, options, dataDir, store: wanted, isJson, terminal }: Call): Promise<ExitCode> {
  if (words.includes('-')) {
    throw new UsageError('no-stdin', 'a backup is restored from a file', {
      advice: 'It is read twice, so it cannot be piped in. Write it into a file first.',
    });
  }
  return explainArchives(async () => {
    const note = noteOf(terminal, isJson);
    const progress = new Progress(note);
    const found: ImportReport[] = [];
    for (const file of words) found.push(await verifyFile(file, terminal, progress));
    const id = createSortableIds().next();
    await settleRestoration(dataDir, printFolderNews);
    const kind = await chooseStore(dataDir, folderKind(wanted));
    const aside = await restoreFolder({
      dataDir,
      replaces: options.has('replace'),
      holder: `loom-${process.pid}-${id}`,
      now: () => new Date(),
      news: printFolderNews,
      fill: (folder) => fill(folder, kind, id, progress),
    });
    await writeImportedFiles(dataDir, found, progress, note);
    const changes = found.reduce((sum, report) => sum + report.changes, 0);
    const contents = {
      logs: found.at(-1)?.logs ?? 0,
      changes,
      blobs: found.reduce((sum, { blobs }) => sum + blobs, 0),
    };
    if (isJson) {
      terminal.out(`${JSON.stringify({ ok: true, data_dir: dataDir, ...contents, moved_to: aside ?? null })}\n`);
      return EXIT.ok;
    }
    for (const report of found) noteMissing(report, terminal);
    terminal.out(`Restored ${describeContents(contents)} into ${friendlyPath(dataDir, terminal)}.\n`);
    if (aside !== undefined) {
      terminal.out(
        `What was there before is in ${friendlyPath(aside, terminal)}. Delete it when you no longer need it.\n`,
      );
    }
    return EXIT.ok;
  });

  async function fill(folder: string, kind: StoreKind, id: string, progress: Progress): Promise<void> {
    const store = await openStore(folder, kind);
    try {
      for (const file of words) {
        await importArchive({
          store,
          lines: readLines(file, terminal),
          progress: ({ logs, changes }) =>
            progress.tick(() => `restoring: ${count(logs, 'log')}, ${count(changes, 'change')} so far`),
        });
      }
      await renewCounters({ store, id });
    } finally {
      await store.close();
    }
  }
}
