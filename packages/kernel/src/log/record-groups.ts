import type { LogRecord, Store } from '../store.ts';

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

/** Keeps the changes after a seq in fewer, longer records. Returns the seq up to which they are. */
export async function foldRecords<Change extends { seq: number }>(
  { name, store, codec }: { name: string; store: Store; codec: FoldingCodec<Change> },
  afterSeq: number,
): Promise<number> {
  const { epoch, records } = (await store.read(name, afterSeq)) ?? { epoch: '', records: [] };
  for (const group of groupRecords(records)) {
    if (group.length < 2) continue;
    const changes = group.flatMap(({ text }) => codec.decode(text));
    const [first, last] = [changes[0], changes.at(-1)];
    if (first === undefined || last === undefined) continue;
    const record = { seq: last.seq, text: codec.encodeSegment(changes) };
    await store.fold(name, { epoch, first: first.seq, record });
  }
  return records.at(-1)?.seq ?? afterSeq;
}

interface FoldingCodec<Change> {
  decode(text: string): Change[];
  encodeSegment(changes: readonly Change[]): string;
}
