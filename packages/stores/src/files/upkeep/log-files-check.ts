import { join, resolve } from 'node:path';
import { isAboutOneLog } from '@loom/kernel/store';
import type { LogEnd } from '../../append-verdict.ts';
import type { FilesPort } from '../../disk/files-port.ts';
import { isDenied } from '../../disk/files-port.ts';
import { machineFiles } from '../../disk/machine-files.ts';
import { readAcknowledged } from '../log/acknowledged-mark.ts';
import { DataDirectory } from '../data-directory.ts';
import { isLeftover, isLoss, logDirectory, logOfDirectory, nameOfProjection } from '../log/log-directory.ts';
import { readWrites } from '../projections/projection-lines.ts';
import type { WrittenProjection } from '../projections/projection-lines.ts';
import { forReading } from '../reading-port.ts';

/** A problem found in the files. */
export interface LogFilesProblem {
  /**
   * The damaged part: a log; one that is gone, or was when another took its place; data derived from a log, which can be made again; a torn
   * write, which was never acknowledged; or a counter of the store, which is made again from the logs.
   */
  part: 'log' | 'lost' | 'projection' | 'torn' | 'file';
  /** The name of the log or file. */
  name: string;
  /** For a person. */
  message: string;
}

/**
 * Checks every record and every projection of a directory, and changes nothing; others may write to it meanwhile. The content of a record
 * is guarded by a checksum that a store does not know: `checkText` returns the problem with a text, or nothing.
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
  const attempt = async (name: string, work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      // A newer format and a disk that fails say nothing about the data.
      if (!isAboutOneLog(error)) throw error;
      problems.push({ part: 'log', name, message: `${error.message}. ${error.advice}` });
    }
  };
  for (const log of await data.logNames()) {
    let end: LogEnd;
    await attempt(log, async () => {
      const contents = await data.log(log).read(0);
      for (const { seq, text } of contents?.records ?? []) {
        const complaint = checkText(text);
        if (complaint !== undefined) problems.push({ part: 'log', name: log, message: `record ${seq}: ${complaint}` });
      }
      end = await data.log(log).end();
      const torn = await data.log(log).tail();
      if (torn === 0) return;
      const message = `the last write is not whole (${torn === 1 ? '1 byte' : `${torn} bytes`}); the next write puts it aside`;
      problems.push({ part: 'torn', name: log, message });
    });
    const folder = join(path, logDirectory(log));
    const names = await orNone(port.list(folder), []);
    const isNoted = names.includes('log.jsonl.acknowledged');
    for (const file of names) {
      const name = nameOfProjection(file);
      if (name !== undefined) {
        // Nothing is made again of a log that cannot be read.
        if (end === undefined) continue;
        const written = readWrites(name, await orNone(port.read(join(folder, file)), new Uint8Array()));
        // Another process may have written both meanwhile.
        if (written !== undefined && written.seq > end.lastSeq) end = await data.log(log).end();
        const problem = judgeProjectionFile(join(folder, file), { written, end, isNoted });
        if (problem !== undefined) problems.push({ name: log, ...problem });
      } else if (isLoss(file)) {
        const lost = await readAcknowledged(port, join(folder, file));
        if (lost === undefined || lost.epoch === end?.epoch) continue;
        problems.push({ part: 'lost', name: log, message: describeLoss(lost.seq, join(folder, file)) });
      } else if (isLeftover(file) && !file.endsWith('.tmp')) {
        const message = `${join(folder, file)} keeps the bytes of a write that was cut short; delete it when you like`;
        problems.push({ part: 'torn', name: log, message });
      }
    }
  }
  for (const [entry, { seq }] of await data.lostLogs()) {
    problems.push({ part: 'lost', name: readName(entry), message: describeGone(join(path, entry), seq) });
  }
  for (const [name, file] of data.sealedFiles) {
    if ((await file.read()) === 'damaged')
      problems.push({ part: 'file', name, message: 'it is not as it was written' });
  }
  return problems;
}

function judgeProjectionFile(
  file: string,
  { written, end, isNoted }: { written: WrittenProjection | undefined; end: LogEnd; isNoted: boolean },
): Omit<LogFilesProblem, 'name'> | undefined {
  if (written === undefined) return { part: 'projection', message: `${file} is not as it was written` };
  if (end?.epoch !== written.epoch || written.seq <= end.lastSeq) return undefined;
  const message = `it ends at change ${end.lastSeq}, but ${file} was made of change ${written.seq}`;
  // The note is made before anything is derived, so it was removed, as advised to people who can do without the last changes.
  if (!isNoted) return { part: 'projection', message };
  // Only acknowledged changes are derived from, so this cannot be a torn write.
  return {
    part: 'log',
    message: `${message}: its end is damaged. Restore it from a backup before anything is written.`,
  };
}

/** Returns `none` for a file that may not be read: its log reports that, and a projection is as good as absent. */
async function orNone<T>(reading: Promise<T>, none: T): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    if (isDenied(error)) return none;
    throw error;
  }
}

/** The log of a directory, or the directory where only the log itself would tell. */
function readName(entry: string): string {
  const named = logOfDirectory(entry);
  return typeof named === 'object' ? named.log : entry;
}

function describeGone(folder: string, seq: number): string {
  return `${join(folder, 'log.jsonl')} is gone${describeAcknowledged(seq)} Put it back from a copy of the folder, or from a folder into which a backup was restored with --store files; else the next command that writes to it makes another of the node files.`;
}

function describeLoss(seq: number, file: string): string {
  return `its log was gone${describeAcknowledged(seq)} Another was made of the node files. Put log.jsonl back from a copy of the folder. Or restore a backup into another folder with --store files, take its log.jsonl and remove ${file}; or remove that if you can do without.`;
}

function describeAcknowledged(seq: number): string {
  return `, and change ${seq} of it had been acknowledged. What node files do not hold, such as earlier versions and what could be undone, was nowhere else.`;
}
