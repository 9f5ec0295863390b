import { migrateDirectory } from '@loom/node-files';
import type { MigrationRefusal, MigrationReport } from '@loom/node-files';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { LoomError } from '../../command-line/failure.ts';
import { readOldBookmarks } from '../../runtime/old-bookmarks.ts';
import { withReader } from '../../runtime/opened-folder.ts';
import type { OpenedFolder } from '../../runtime/opened-folder.ts';
import { requireData, withPresentFolder } from '../../runtime/present-data.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { count } from '../../terminal/progress.ts';
import { friendlyPath } from '../config/config-view.ts';
import { suggest } from '../../command-line/suggested-command.ts';

/** `loom migrate`: the node files of a data folder in the current format. */
export async function migrateData({ options, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  const dryRun = options.has('dry-run');
  const backup = options.get('backup');
  const migrate = async (loom: OpenedFolder): Promise<ExitCode> => {
    const result = await migrateDirectory({
      directory: dataDir,
      store: loom.store,
      clock: loom.clock,
      bookmarks: () => readOldBookmarks(dataDir),
      dryRun,
      ...(typeof backup === 'string' ? { backup } : {}),
    });
    if (!result.ok) {
      const { reason, message, files } = result.refusal;
      throw new LoomError(reason, message, { advice: adviceFor(result.refusal, dataDir), details: { files } });
    }
    const { report } = result;
    for (const { file, message } of report.unreadable) {
      terminal.note(`${friendlyPath(file, terminal)}: ${message}. It stays as it is.\n`);
    }
    for (const path of report.left) terminal.note(`${path} was changed meanwhile. It stays as it is.\n`);
    if (isJson) terminal.out(`${JSON.stringify({ ok: true, dry_run: dryRun, ...report })}\n`);
    else terminal.out(describeReport(report, dryRun, terminal));
    return EXIT.ok;
  };
  if (!dryRun) return withPresentFolder({ dataDir, store, files: false }, migrate);
  await requireData(dataDir);
  return withReader({ dataDir, files: false }, migrate);
}

function adviceFor({ reason, files }: MigrationRefusal, dataDir: string): string {
  switch (reason) {
    case 'backup-inside':
      return `Choose a folder outside of ${dataDir}.`;
    case 'backup-used':
      return 'Choose another folder with --backup.';
    case 'format-newer':
      return `Migrate with the Loom that wrote ${files.length === 1 ? 'it' : 'them'}.`;
    case 'files-changed':
      return `Have that taken in first: ${suggest('doctor')}`;
    case 'not-verified':
      return 'Nothing was changed. This is a defect in Loom: please report it.';
  }
}

function describeReport(report: MigrationReport, dryRun: boolean, terminal: Terminal): string {
  const { roots, nodes, written, backup } = report;
  const what = `${count(nodes, 'message')} in ${count(roots, 'conversation')}`;
  if (backup === undefined) return `Nothing to do: the files of ${what} are of the current format.\n`;
  const copy = friendlyPath(backup, terminal);
  if (dryRun) {
    return `Would write ${count(written.length, 'file')} for ${what}, after a copy of everything to ${copy}. Nothing was changed.\n`;
  }
  return `Wrote ${count(written.length, 'file')} for ${what}; verified.
What was there before is in ${copy}. Delete that folder when you are content.\n`;
}
