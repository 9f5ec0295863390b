import { importArchive } from '@loom/stores/archive';
import type { ImportReport } from '@loom/stores/archive';
import { readLines } from '../../archive/archive-file.ts';
import { explainArchives } from '../../archive/archive-failure.ts';
import { writeImportedFiles } from '../../archive/imported-files.ts';
import { describeContents, noteMissing, verifyFile } from '../../archive/export-lines.ts';
import { count, Progress } from '../../terminal/progress.ts';
import { noteOf } from '../../runtime/files-note.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { isDatabaseUrl } from '../../command-line/store-kind.ts';
import { withWriter, type OpenedFolder } from '../../runtime/opened-folder.ts';

/** `loom import-store`: takes exports in, into an empty folder or on top of earlier ones. */
export function importStore({ words, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  return explainArchives(async () => {
    const note = noteOf(terminal, isJson);
    const progress = new Progress(note);
    // Files are checked before anything is changed; piped archives can only be checked on the way.
    for (const file of words) if (file !== '-') await verifyFile(file, terminal, progress);
    const reports: ImportReport[] = [];
    const take = async ({ store }: Pick<OpenedFolder, 'store'>): Promise<void> => {
      for (const file of words) {
        const report = await importArchive({
          store,
          lines: readLines(file, terminal),
          progress: ({ logs, changes }) =>
            progress.tick(() => `importing: ${count(logs, 'log')}, ${count(changes, 'change')} so far`),
        });
        reports.push(report);
        if (isJson) continue;
        noteMissing(report, terminal);
        terminal.out(describe(report));
      }
    };
    if (isDatabaseUrl(store)) {
      const { withSharedStore } = await import('../../runtime/opened-store.ts');
      await withSharedStore({ url: store, dataDir }, take);
    } else {
      await withWriter({ dataDir, store, files: false }, take);
      await writeImportedFiles(dataDir, reports, progress, note);
    }
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, imported: reports.map(forPrograms) })}\n`);
    return EXIT.ok;
  });
}

function describe(report: ImportReport): string {
  const { appended, changes } = report;
  if (appended === 0)
    return `Nothing to do: everything in the archive is here already (${describeContents(report)}).\n`;
  const rest =
    appended === changes ? '' : `; ${count(appended, 'change')} of them ${appended === 1 ? 'was' : 'were'} new`;
  return `Imported ${describeContents(report)}${rest}.\n`;
}

function forPrograms({ missingBlobs, missingLogs, roots: _roots, ...report }: ImportReport): unknown {
  return { ...report, missing_blobs: missingBlobs, missing_logs: missingLogs };
}
