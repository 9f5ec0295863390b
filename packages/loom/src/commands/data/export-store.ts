import { resolve } from 'node:path';
import { readCursor } from '@loom/stores/archive';
import { goesToOutput, readLines, throughOutput, writeArchive } from '../../archive/archive-file.ts';
import { explainArchives } from '../../archive/archive-failure.ts';
import {
  describeContents,
  describeProgress,
  exportLoom,
  missingForPrograms,
  noteLeftOut,
  noteUnreadable,
  unreadableFiles,
} from '../../archive/export-lines.ts';
import type { ArchivedLoom } from '../../archive/export-lines.ts';
import { isDatabaseUrl } from '../../command-line/store-kind.ts';
import { describeBytes, Progress } from '../../terminal/progress.ts';
import { noteOf } from '../../runtime/files-note.ts';
import type { Call } from '../../command-line/command.ts';
import { EXIT, type ExitCode } from '../../command-line/exit-codes.ts';
import { nodeDisk } from '@loom/data-folder/files';
import { withReader } from '../../runtime/opened-folder.ts';
import { friendlyPath } from '../config/config-view.ts';

/** `loom export-store`: everything, or the changes since an earlier export, as lines of JSON. */
export function exportStore({ words, options, dataDir, store, isJson, terminal }: Call): Promise<ExitCode> {
  const [file = '-'] = words;
  const earlier = options.get('since');
  const isPiped = goesToOutput(file, terminal, isJson);
  return explainArchives(async () => {
    const since = typeof earlier === 'string' ? await readCursor(readLines(earlier, terminal)) : undefined;
    const write = async (loom: ArchivedLoom): Promise<ExitCode> => {
      const progress = new Progress(noteOf(terminal, isJson));
      const { lines, at, missing } = await exportLoom(loom, dataDir, since);
      let bytes = 0;
      const tick = (size: number): void => {
        bytes = size;
        progress.tick(() => describeProgress(at, size));
      };
      if (isPiped) await exhaust(throughOutput(lines, terminal, tick));
      else await writeArchive({ disk: nodeDisk, path: file, lines, terminal, progress: tick });
      const { logs, changes, blobs } = at;
      const isComplete = missing.length === 0;
      if (isJson) {
        const counts = { file: resolve(file), bytes, logs, changes, blobs };
        const report = { ...counts, ...missingForPrograms(missing), unreadable: unreadableFiles(loom) };
        terminal.out(`${JSON.stringify({ ok: isComplete, ...report })}\n`);
        return isComplete ? EXIT.ok : EXIT.failed;
      }
      noteUnreadable(loom, terminal);
      const where = isPiped ? '' : ` to ${friendlyPath(resolve(file), terminal)}`;
      const what = `Exported ${describeContents(at)}${where} (${describeBytes(bytes)}).\n`;
      if (isPiped) terminal.note(what);
      else terminal.out(what);
      noteLeftOut(missing, terminal);
      return isComplete ? EXIT.ok : EXIT.failed;
    };
    if (!isDatabaseUrl(store)) return withReader({ dataDir }, write);
    const { withSharedStore } = await import('../../runtime/opened-store.ts');
    return withSharedStore({ url: store, dataDir }, write);
  });
}

async function exhaust(lines: AsyncIterable<string>): Promise<void> {
  for await (const _ of lines);
}
