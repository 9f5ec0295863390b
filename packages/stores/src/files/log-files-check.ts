import { join, resolve } from 'node:path';
import { StoreError } from '@loom/kernel/store';
import type { LogEnd } from '../append-verdict.ts';
import type { FilesPort } from '../files-port.ts';
import { machineFiles } from '../machine-files.ts';
import { DataDirectory } from './data-directory.ts';
import { isLeftover, logDirectory, nameOfProjection } from './log-directory.ts';
import { readWrites } from './projection-lines.ts';
import type { WrittenProjection } from './projection-lines.ts';
import { forReading } from './reading-port.ts';

/** Something that is not as it should be. */
export interface LogFilesProblem {
  /**
   * What is concerned: a log; what is derived from one, which can be made again; a write that was not all there, and so was never
   * acknowledged; or another file of the store.
   */
  part: 'log' | 'projection' | 'torn' | 'file';
  /** Of the log or file. */
  name: string;
  /** For a person. */
  message: string;
}

/**
 * Looks at every record and every projection of a directory, and changes nothing; others may write to it meanwhile. What a record says
 * is guarded by a checksum that a store does not know: `checkText` says what is wrong with a text, or nothing.
 */
export async function checkLogFiles(
  directory: string,
  checkText: (text: string) => string | undefined = () => undefined,
  files: FilesPort = machineFiles,
): Promise<LogFilesProblem[]> {
  const path = resolve(directory);
  const port = forReading(files);
  const data = new DataDirectory(port, path, { othersWrite: true });
  const problems: LogFilesProblem[] = [];
  const attempt = async (part: 'log' | 'file', name: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      // A newer format and a disk that fails say nothing about the data.
      if (!(error instanceof StoreError) || error.code !== 'store-corrupt') throw error;
      problems.push({ part, name, message: `${error.message}. ${error.advice}` });
    }
  };
  for (const log of await data.logNames()) {
    let end: LogEnd;
    await attempt('log', log, async () => {
      const contents = await data.log(log).read(0);
      for (const { seq, text } of contents?.records ?? []) {
        const complaint = checkText(text);
        if (complaint !== undefined) problems.push({ part: 'log', name: log, message: `record ${seq}: ${complaint}` });
      }
      end = await data.log(log).end();
      const torn = await data.log(log).tail();
      if (torn === 0) return;
      const message = `${torn} bytes at its end are no whole write; the next write puts them aside`;
      problems.push({ part: 'torn', name: log, message });
    });
    const folder = join(path, logDirectory(log));
    for (const file of await port.list(folder)) {
      const name = nameOfProjection(file);
      if (name !== undefined) {
        const written = readWrites(name, await port.read(join(folder, file)));
        // Somebody may have written both meanwhile.
        if (end !== undefined && written !== undefined && written.seq > end.lastSeq) end = await data.log(log).end();
        const problem = judgeProjectionFile(join(folder, file), written, end);
        if (problem !== undefined) problems.push({ name: log, ...problem });
      } else if (isLeftover(file) && !file.endsWith('.tmp')) {
        const message = `${join(folder, file)} keeps the bytes of a write that was cut short; delete it when you like`;
        problems.push({ part: 'torn', name: log, message });
      }
    }
  }
  for (const [name, file] of data.sealedFiles) await attempt('file', name, async () => void (await file.read()));
  return problems;
}

function judgeProjectionFile(
  file: string,
  written: WrittenProjection | undefined,
  end: LogEnd,
): Omit<LogFilesProblem, 'name'> | undefined {
  if (written === undefined) return { part: 'projection', message: `${file} is not as it was written` };
  if (end?.epoch !== written.epoch || written.seq <= end.lastSeq) return undefined;
  // Only what was acknowledged is derived from, so this is no write that was cut short.
  const message = `it ends at change ${end.lastSeq}, but ${file} was made of change ${written.seq}: its end is damaged. Restore it from a backup before anything is written.`;
  return { part: 'log', message };
}
