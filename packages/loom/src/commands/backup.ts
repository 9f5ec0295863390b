import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { ImportReport } from '@loom/stores/archive';
import { writeArchive } from '../archive/archive-file.ts';
import { explainArchives } from '../archive/archive-failure.ts';
import {
  describeContents,
  describeProgress,
  exportLoom,
  missingForPrograms,
  noteLeftOut,
  noteUnreadable,
  unreadableFiles,
  verifyFile,
} from '../archive/export-lines.ts';
import { describeBytes, Progress } from '../progress.ts';
import { noteOf } from '../runtime/files-note.ts';
import type { Call } from '../command.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { nodeDisk } from '../files/disk.ts';
import { withReader } from '../runtime/open-loom.ts';
import { friendlyPath } from './config-view.ts';

/** `loom backup`: everything in one file, read again before it counts. */
export function backUp({ words, dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  return explainArchives(() =>
    withReader({ dataDir }, async (loom) => {
      const path = await findName(words[0] ?? '');
      const progress = new Progress(noteOf(terminal, isJson));
      const exported = await exportLoom(loom, dataDir);
      let found: ImportReport | undefined;
      const bytes = await writeArchive({
        disk: nodeDisk,
        path,
        terminal,
        lines: exported.lines,
        progress: (size) => progress.tick(() => describeProgress(exported.at, size)),
        verify: async (file, goOn) => {
          found = await verifyFile(file, terminal, progress, goOn);
        },
      });
      const { logs, changes, blobs } = found ?? exported.at;
      const { missing } = exported;
      const isComplete = missing.length === 0;
      if (isJson) {
        const counts = { file: path, bytes, logs, changes, blobs };
        const report = { ...counts, ...missingForPrograms(missing), unreadable: unreadableFiles(loom) };
        terminal.out(`${JSON.stringify({ ok: isComplete, ...report })}\n`);
        return isComplete ? EXIT.ok : EXIT.failed;
      }
      noteUnreadable(loom, terminal);
      const where = `${friendlyPath(path, terminal)} (${describeBytes(bytes)})`;
      terminal.out(`Backed up ${describeContents({ logs, changes, blobs })} to ${where}; verified.
Settings are not in it, since they may hold keys. To go back: loom restore-backup.\n`);
      noteLeftOut(missing, terminal);
      return isComplete ? EXIT.ok : EXIT.failed;
    }),
  );
}

/** A folder gets a file that is named after the moment. */
async function findName(word: string): Promise<string> {
  const path = resolve(word);
  const isFolder = word.endsWith('/') || (await stat(path).catch(() => undefined))?.isDirectory() === true;
  return isFolder ? join(path, `loom-${new Date().toISOString().replace(/[:.]/gu, '-')}.jsonl`) : path;
}
