import { exportArchive, verifyArchive } from '@loom/stores/archive';
import type { ArchiveCursor, ExportProgress, ImportReport, MissingPart } from '@loom/stores/archive';
import { friendlyPath } from '../commands/config/config-view.ts';
import { LoomError } from '../command-line/failure.ts';
import { listIds } from '../runtime/conversations.ts';
import type { OpenedFolder } from '../runtime/opened-folder.ts';
import type { Terminal } from '../terminal/terminal.ts';
import { readLines } from './archive-file.ts';
import { count, describeBytes, type Progress } from '../terminal/progress.ts';
import { suggest } from '../command-line/suggested-command.ts';

/** The lines of an archive being written, its progress and its gaps. */
export interface Export {
  lines: AsyncIterable<string>;
  /** The progress. */
  at: ExportProgress;
  /** The parts that could not be exported so far. */
  missing: readonly MissingPart[];
}

/** The source of an archive: a data folder, or a store without one. */
export type ArchivedLoom = Omit<OpenedFolder, 'adoption'> & Partial<Pick<OpenedFolder, 'adoption'>>;

/** Exports everything that a data folder holds. Refuses an empty one: a person who backs that up has named the wrong folder. */
export async function exportLoom(loom: ArchivedLoom, dataDir: string, since?: ArchiveCursor): Promise<Export> {
  if ((await listIds(loom)).length === 0) {
    throw new LoomError('no-data', `there is no conversation in ${dataDir}`, {
      advice: 'Name the folder with your data with --data-dir.',
    });
  }
  const at: ExportProgress = { logs: 0, records: 0, changes: 0, blobs: 0, blob_bytes: 0, of: 0 };
  const missing: MissingPart[] = [];
  const lines = exportArchive({
    store: loom.store,
    since,
    progress: (progress) => Object.assign(at, progress),
    missing: (part) => missing.push(part),
  });
  return { lines, at, missing };
}

/** Checks an archive to its end and returns its contents. `goOn` is called now and then, and may throw. */
export function verifyFile(
  file: string,
  terminal: Terminal,
  progress: Progress,
  goOn?: () => void,
): Promise<ImportReport> {
  const tick = ({ logs, changes }: { logs: number; changes: number }): void => {
    goOn?.();
    progress.tick(() => `checking: ${count(logs, 'log')}, ${count(changes, 'change')} so far`);
  };
  return verifyArchive({ lines: readLines(file, terminal), progress: tick });
}

/** Words the progress of an export. */
export function describeProgress({ logs, of }: ExportProgress, bytes: number): string {
  return `writing: ${describeBytes(bytes)}, ${logs.toLocaleString('en')} of ${count(of, 'log')}`;
}

/** Words the contents of an archive. One of its logs is the list of the others. */
export function describeContents({ logs, changes, blobs }: Pick<ImportReport, 'logs' | 'changes' | 'blobs'>): string {
  const files = blobs === 0 ? '' : ` and ${count(blobs, 'blob')}`;
  return `${count(changes, 'change')}${files} of ${count(Math.max(0, logs - 1), 'conversation')}`;
}

/** Files of an older Loom that cannot be read: the only data that an archive does not have. */
export function unreadableFiles({ adoption }: ArchivedLoom): { code: string; file: string; message: string }[] {
  return (adoption?.problems ?? [])
    .filter(({ effect }) => effect === 'unreadable')
    .map(({ code, file, message }) => ({ code, file, message }));
}

export function noteUnreadable(loom: ArchivedLoom, terminal: Terminal): void {
  for (const { file, message } of unreadableFiles(loom)) {
    terminal.note(`${friendlyPath(file, terminal)}: ${message}. It is not in the archive.\n`);
  }
}

/** Prints the parts that could not be exported, and why. */
export function noteLeftOut(missing: readonly MissingPart[], terminal: Terminal): void {
  for (const part of missing) terminal.note(`${describeMissing(part)}\n`);
  if (missing.length === 0) return;
  terminal.note(
    `The archive is incomplete: ${count(missing.length, 'part')} could not be put into it. ${suggest('doctor')} says more.\n`,
  );
}

/** The same for programs. */
export function missingForPrograms(missing: readonly MissingPart[]): {
  missing_logs: { name: string; code: string; message: string }[];
  missing_blobs: string[];
} {
  return {
    missing_logs: missing.flatMap((part) =>
      part.type === 'log'
        ? [{ name: part.name, code: part.why?.code ?? 'no-log', message: describeMissing(part) }]
        : [],
    ),
    missing_blobs: missing.flatMap((part) => (part.type === 'blob' ? [part.id] : [])),
  };
}

function describeMissing(part: MissingPart): string {
  if (part.type === 'blob') return `${part.id} is cited, but is missing or damaged and is not in the archive.`;
  if (part.why === undefined) return `${part.name} is listed, but has no log.`;
  return `${part.name} cannot be read and is not in the archive: ${part.why.message}. ${part.why.advice}`;
}

/** Prints the parts that an archive should hold and does not. */
export function noteMissing({ missingBlobs, missingLogs }: ImportReport, terminal: Terminal): void {
  for (const id of missingBlobs)
    terminal.note(`${id} is cited, but was missing or damaged and is not in the archive.\n`);
  for (const name of missingLogs) terminal.note(`${name} is listed, but had no log.\n`);
}
