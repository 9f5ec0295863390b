import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { verifyArchive } from '@loom/stores/archive';
import type { ImportReport } from '@loom/stores/archive';
import { goesToOutput, throughOutput, writeArchive } from '../../archive/archive-file.ts';
import { explainArchives } from '../../archive/archive-failure.ts';
import {
  describeContents,
  describeProgress,
  exportLoom,
  missingForPrograms,
  noteLeftOut,
  noteUnreadable,
  unreadableFiles,
  verifyFile,
} from '../../archive/export-lines.ts';
import type { Export } from '../../archive/export-lines.ts';
import { describeBytes, Progress } from '../../terminal/progress.ts';
import { noteOf } from '../../runtime/files-note.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { nodeDisk } from '@loom/data-folder/files';
import { withReader } from '../../runtime/opened-folder.ts';
import type { Terminal } from '../../terminal/terminal.ts';
import { friendlyPath } from '../config/config-view.ts';
import { suggest } from '../../command-line/suggested-command.ts';

/** `loom backup`: everything in one file, read again before it counts; or on standard output, checked on the way. */
export function backUp({ words, dataDir, isJson, terminal }: Call): Promise<ExitCode> {
  const [file = ''] = words;
  const isPiped = goesToOutput(file, terminal, isJson);
  return explainArchives(() =>
    withReader({ dataDir }, async (loom) => {
      const path = isPiped ? file : await findName(file);
      const progress = new Progress(noteOf(terminal, isJson));
      const exported = await exportLoom(loom, dataDir);
      const { found, bytes } = isPiped
        ? await pipe(exported, terminal, progress)
        : await write(path, exported, terminal, progress);
      const { logs, changes, blobs } = found;
      const { missing } = exported;
      const isComplete = missing.length === 0;
      if (isJson) {
        const counts = { file: path, bytes, logs, changes, blobs };
        const report = { ...counts, ...missingForPrograms(missing), unreadable: unreadableFiles(loom) };
        terminal.out(`${JSON.stringify({ ok: isComplete, ...report })}\n`);
        return isComplete ? EXIT.ok : EXIT.failed;
      }
      noteUnreadable(loom, terminal);
      const where = `${isPiped ? 'standard output' : friendlyPath(path, terminal)} (${describeBytes(bytes)})`;
      const say = isPiped ? terminal.note : terminal.out;
      say(`Backed up ${describeContents(found)} to ${where}; verified.
Settings are not in it, since they may hold keys. To go back: ${suggest('restore-backup')}.\n`);
      noteLeftOut(missing, terminal);
      return isComplete ? EXIT.ok : EXIT.failed;
    }),
  );
}

interface Written {
  found: ImportReport;
  bytes: number;
}

async function write(path: string, { lines, at }: Export, terminal: Terminal, progress: Progress): Promise<Written> {
  const verified: ImportReport[] = [];
  const bytes = await writeArchive({
    disk: nodeDisk,
    path,
    terminal,
    lines,
    progress: (size) => progress.tick(() => describeProgress(at, size)),
    verify: async (file, goOn) => void verified.push(await verifyFile(file, terminal, progress, goOn)),
  });
  const [found] = verified;
  if (found === undefined) throw new ReferenceError('a backup was written and not verified');
  return { found, bytes };
}

async function pipe({ lines, at }: Export, terminal: Terminal, progress: Progress): Promise<Written> {
  let bytes = 0;
  const passing = throughOutput(lines, terminal, (size) => {
    bytes = size;
    progress.tick(() => describeProgress(at, size));
  });
  return { found: await verifyArchive({ lines: passing, progress: () => {} }), bytes };
}

/** A folder gets a file that is named after the moment. */
async function findName(word: string): Promise<string> {
  const path = resolve(word);
  const isFolder = word.endsWith('/') || (await stat(path).catch(() => undefined))?.isDirectory() === true;
  return isFolder ? join(path, `loom-${new Date().toISOString().replace(/[:.]/gu, '-')}.jsonl`) : path;
}
