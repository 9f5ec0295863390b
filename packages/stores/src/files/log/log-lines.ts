import type { LogRecord } from '@loom/kernel/store';
import type { LogIndex } from './log-scan.ts';
import { firstAfter } from './log-scan.ts';
import type { RecordPlace } from './record-line.ts';
import { decodeRecord, encodeRecord, readPlace } from './record-line.ts';

/** Lines as they shall stand in a file, and the last seq and the end of each. */
export interface LogLines {
  chunks: Uint8Array[];
  seqs: number[];
  /** The end of each line, counted from the beginning of the first. */
  ends: number[];
}

/** A line for each record, from the first change on. */
export function encodeLines(records: readonly LogRecord[]): LogLines {
  const lines: LogLines = { chunks: [], seqs: [], ends: [] };
  let first = 1;
  for (const { seq, text } of records) {
    addLine(lines, { first, seq }, text);
    first = seq + 1;
  }
  return lines;
}

/** Returns all lines of a log unchanged; `bytes` is everything behind the header. */
export function sameLines(bytes: Uint8Array, { seqs, ends, headerEnd }: LogIndex): LogLines {
  return { chunks: [bytes], seqs: [...seqs], ends: ends.map((end) => end - headerEnd) };
}

/** Records that become one: their positions in the index. */
export interface Folding {
  start: number;
  end: number;
  record: LogRecord;
}

/**
 * Returns the lines of a log in which some records are one. The others stay as they are, byte for byte, so that a long log is not read to
 * fold a short turn; only records written together with one of those become separate writes. `bytes` is everything behind the header.
 * Returns `undefined` if a line is damaged that would have to be read.
 */
export function foldLines(bytes: Uint8Array, index: LogIndex, { start, end, record }: Folding): LogLines | undefined {
  const { seqs, headerEnd } = index;
  const endOf = (position: number): number => (index.ends[position] ?? headerEnd) - headerEnd;
  const line = (position: number): Uint8Array => bytes.subarray(endOf(position - 1), endOf(position) - 1);
  const [before, after] = [
    start === 0 ? undefined : readPlace(line(start - 1)),
    end + 1 < seqs.length ? readPlace(line(end + 1)) : undefined,
  ];
  if ((start > 0 && before === undefined) || (end + 1 < seqs.length && after === undefined)) return undefined;
  const lower =
    before === undefined || before.write.to === before.seq ? start : firstAfter(seqs, before.write.from - 1);
  const upper = after === undefined || after.write.from === after.first ? end + 1 : firstAfter(seqs, after.write.to);

  const lines: LogLines = { chunks: [], seqs: [], ends: [] };
  const keep = (from: number, to: number): void => {
    const shift = (lines.ends.at(-1) ?? 0) - endOf(from - 1);
    lines.chunks.push(bytes.subarray(endOf(from - 1), endOf(to - 1)));
    for (let position = from; position < to; position += 1) {
      lines.seqs.push(seqs[position] ?? 0);
      lines.ends.push(endOf(position) + shift);
    }
  };
  const separate = (from: number, to: number): boolean => {
    for (let position = from; position < to; position += 1) {
      const found = decodeRecord(line(position));
      if (found === undefined) return false;
      addLine(lines, found.place, found.record.text);
    }
    return true;
  };
  keep(0, lower);
  if (!separate(lower, start)) return undefined;
  addLine(lines, { first: (seqs[start - 1] ?? 0) + 1, seq: record.seq }, record.text);
  if (!separate(end + 1, upper)) return undefined;
  keep(upper, seqs.length);
  return lines;
}

/** The index of a file that begins with a header and goes on with these lines. */
export function indexLines(
  { epoch, format }: Pick<LogIndex, 'epoch' | 'format'>,
  headerEnd: number,
  { seqs, ends }: LogLines,
): LogIndex {
  return { epoch, format, headerEnd, seqs, ends: ends.map((end) => headerEnd + end) };
}

function addLine(lines: LogLines, { first, seq }: Pick<RecordPlace, 'first' | 'seq'>, text: string): void {
  const bytes = encoder.encode(encodeRecord({ first, seq, write: { from: first, to: seq } }, text));
  lines.chunks.push(bytes);
  lines.ends.push((lines.ends.at(-1) ?? 0) + bytes.length);
  lines.seqs.push(seq);
}

const encoder = new TextEncoder();
