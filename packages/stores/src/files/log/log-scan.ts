import { StoreError } from '@loom/kernel/store';
import type { RecordPlace } from './record-line.ts';
import { readPlace } from './record-line.ts';
import { sealFields, unsealFields } from '../sealed-line.ts';

/** The positions of the records in a log file: the part of it that is kept in memory. */
export interface LogIndex {
  epoch: string;
  /** The number that its readers have to know. */
  format: number;
  /** The seq of each record. */
  seqs: number[];
  /** The end of each record in the file, its newline included. */
  ends: number[];
  /** The end of the header and start of the first record. */
  headerEnd: number;
}

/** The first line of a log file. It was on the disk with all records up to `through` before it got its name. */
export function encodeHeader(
  log: string,
  { epoch, format }: Pick<LogIndex, 'epoch' | 'format'>,
  through: number,
): string {
  return sealFields({ log, epoch, through }, format);
}

/** The name of the log that a file says to hold; `undefined` if its header is damaged. */
export function readLogName(bytes: Uint8Array, file: string): string | undefined {
  return readHeader(bytes, file)?.log;
}

/** The epoch of the log that a file says to hold; `undefined` if its header is damaged. */
export function readEpoch(bytes: Uint8Array, file: string): string | undefined {
  return readHeader(bytes, file)?.epoch;
}

/**
 * Finds the records. Bytes behind the last complete write, if nothing that was written later follows them, are a torn tail: a write that
 * was never acknowledged, unless a note beside the log says otherwise; `torn` is their number. Any other damage is `store-corrupt`.
 */
export function scanLog(log: string, file: string, bytes: Uint8Array): { index: LogIndex; torn: number } {
  const header = readHeader(bytes, file);
  if (header === undefined) throw damaged(file, describeConversion(bytes) ?? 'its first line cannot be read');
  if (header.log !== log)
    throw damaged(file, `it holds the log ${JSON.stringify(header.log)}, not the one of its name`);
  const index: LogIndex = { epoch: header.epoch, format: header.format, seqs: [], ends: [], headerEnd: header.end };
  let open: { place: RecordPlace; end: number }[] = [];
  for (let position = header.end; ;) {
    const end = bytes.indexOf(newline, position) + 1;
    const place = end === 0 ? undefined : readPlace(bytes.subarray(position, end - 1));
    if (place === undefined || !follows(place, open.at(-1)?.place, lastSeq(index))) break;
    open.push({ place, end });
    position = end;
    if (place.seq !== place.write.to) continue;
    for (const line of open) {
      index.seqs.push(line.place.seq);
      index.ends.push(line.end);
    }
    open = [];
  }
  refuseLaterWrites(file, bytes, index);
  // Records that came with the file cannot have been cut short.
  if (lastSeq(index) < header.through) throw damaged(file, `record ${lastSeq(index) + 1} is missing or cannot be read`);
  return { index, torn: bytes.length - lastEnd(index) };
}

/** The seq of the last record. */
export function lastSeq({ seqs }: LogIndex): number {
  return seqs.at(-1) ?? 0;
}

/** Returns the length of the file as far as it is known to be good. */
export function lastEnd({ ends, headerEnd }: LogIndex): number {
  return ends.at(-1) ?? headerEnd;
}

/** The position of the first seq above another; seqs ascend. */
export function firstAfter(seqs: readonly number[], seq: number): number {
  let [low, high] = [0, seqs.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((seqs[middle] ?? 0) > seq) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A file that holds other bytes than were written. */
export function damaged(file: string, what: string, more = ''): StoreError {
  return new StoreError(
    'store-corrupt',
    `${file} is damaged: ${what}`,
    `Nothing was changed. Copy the file to a safe place before anything else, then restore it from a backup.${more}`,
  );
}

/** The error for a file that is there, as far as can be told, and that this process may not use. */
export function denied(file: string, cause: Error): StoreError {
  return new StoreError(
    'store-denied',
    `you do not have permission to open ${file} (${'code' in cause ? String(cause.code) : cause.message})`,
    'Nothing was changed. Correct the permissions of the file and of its folder, or run Loom as the user who owns them.',
    { cause },
  );
}

/** The error for a log that ends before the last acknowledged change, according to the note beside it. */
export function cutOff(file: string, seq: number, acknowledged: number, mark: string): StoreError {
  return damaged(
    file,
    `it ends at change ${seq}, and change ${acknowledged} was acknowledged`,
    ` If you have put an older log there on purpose, if it is a copy made while Loom was writing, or if you can do without its last changes, remove ${mark}.`,
  );
}

const newline = 0x0a;

interface Header {
  log: string;
  epoch: string;
  format: number;
  through: number;
  /** The end of the line in the file. */
  end: number;
}

/** The first line; `undefined` if it is damaged. */
export function readHeader(bytes: Uint8Array, file: string): Header | undefined {
  const end = bytes.indexOf(newline) + 1;
  const { log, epoch, through = 0, format } = (end > 0 && unsealFields(bytes.subarray(0, end - 1), file)) || {};
  const isWhole = typeof log === 'string' && typeof epoch === 'string' && typeof through === 'number';
  return isWhole ? { log, epoch, format: Number(format), through, end } : undefined;
}

/** Names the conversion that an editor or version control has done to the whole file, because it can be undone. */
function describeConversion(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) {
    return 'an editor has put a byte order mark in front of it; take that away again';
  }
  if (bytes[bytes.indexOf(newline) - 1] !== 0x0d) return undefined;
  return 'its lines end with CR and LF, so an editor has converted them, or git with core.autocrlf; convert them back to LF';
}

/** Returns true if a record continues the write before it, or begins one at the end of the last complete write. */
function follows({ first, write }: RecordPlace, before: RecordPlace | undefined, seq: number): boolean {
  if (before === undefined) return first === seq + 1 && write.from === first;
  return first === before.seq + 1 && write.from === before.write.from && write.to === before.write.to;
}

/**
 * Refuses a log with later writes behind damage. The parts of one write reach the disk in any order; but a later write shows that it had
 * been acknowledged.
 */
function refuseLaterWrites(file: string, bytes: Uint8Array, index: LogIndex): void {
  const due = lastSeq(index) + 1;
  for (let position = lastEnd(index); ;) {
    const end = bytes.indexOf(newline, position) + 1;
    if (end === 0) return;
    const place = readPlace(bytes.subarray(position, end - 1));
    if (place !== undefined && place.write.from !== due)
      throw damaged(file, `record ${due} is missing or cannot be read, and others follow it`);
    position = end;
  }
}
