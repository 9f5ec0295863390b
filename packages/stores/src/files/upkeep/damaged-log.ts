import { join, resolve } from 'node:path';
import type { FilesPort } from '../../disk/files-port.ts';
import { failedWith, isDenied } from '../../disk/files-port.ts';
import { machineFiles } from '../../disk/machine-files.ts';
import type { DamagedLog } from '../../log-rewrite.ts';
import { placeUnreadable } from '../../unreadable-records.ts';
import type { FoundRecord } from '../../unreadable-records.ts';
import { readAcknowledged } from '../log/acknowledged-mark.ts';
import { logDirectory } from '../log/log-directory.ts';
import { damaged, readHeader } from '../log/log-scan.ts';
import { decodeRecord, readAsItStands } from '../log/record-line.ts';

/**
 * Reads a log file, damaged or not: a line that cannot be read becomes a record with the text found there, in the place that its neighbors
 * leave. The result reaches as far as is known to have been acknowledged. Changes nothing.
 */
export async function readDamagedLogFile(
  directory: string,
  log: string,
  files: FilesPort = machineFiles,
): Promise<DamagedLog> {
  const path = join(resolve(directory), logDirectory(log), 'log.jsonl');
  const bytes = await files.read(path).catch((error: unknown) => {
    throw isDenied(error) || failedWith(error, 'EISDIR') ? damaged(path, 'it cannot be opened') : error;
  });
  const header = readHeader(bytes, path);
  const noted = await readAcknowledged(files, `${path}.acknowledged`);
  const isOfLog = header === undefined || header.epoch === noted?.epoch;
  const least = Math.max(header?.through ?? 0, isOfLog ? (noted?.seq ?? 0) : 0);
  const lines = linesOf(bytes.subarray(header?.end ?? 0)).map(readLine);
  return { log, epoch: header?.epoch ?? '', ...placeUnreadable(lines, least) };
}

function readLine(line: Uint8Array): FoundRecord {
  try {
    const found = decodeRecord(line);
    if (found !== undefined) return { first: found.place.first, record: found.record };
  } catch {
    // Its checksum is right but its text is not a record: it never was one.
  }
  return { unreadable: readAsItStands(line) };
}

function linesOf(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let start = 0; start < bytes.length;) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}
