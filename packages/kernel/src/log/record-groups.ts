import type { LogRecord } from '../store.ts';

/** Long enough to compress well, short enough to be read in passing, in UTF-16 units. */
const segmentLength = 64 * 1024;

/** Cuts records into groups that make a segment each; records that are long already stay alone. */
export function groupRecords(records: readonly LogRecord[]): LogRecord[][] {
  const groups: LogRecord[][] = [];
  let size = Infinity;
  for (const record of records) {
    if (size + record.text.length > segmentLength) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(record);
    size += record.text.length;
  }
  return groups;
}
