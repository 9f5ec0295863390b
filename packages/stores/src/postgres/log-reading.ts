import type { LogContents, LogRecord } from '@loom/kernel/store';
import { StoreError } from '@loom/kernel/store';
import { highestSeq } from '../append-verdict.ts';
import { keyOf } from './bounded-key.ts';
import type { Database } from './database.ts';

/** Reads records of a log, as it is at one moment; `undefined` if there is no such log. */
export async function readLog(
  database: Database,
  log: string,
  afterSeq: number,
  throughSeq: number,
  newestFormat: number,
): Promise<LogContents | undefined> {
  const through = throughSeq > afterSeq ? throughSeq : -1;
  const rows = await database.rows<RecordRow>(readStatement, [keyOf(log), afterSeq, through]);
  // The log itself comes first, as a row without a seq.
  rows.sort((one, other) => (one.seq ?? -1) - (other.seq ?? -1));
  const [about, ...found] = rows;
  if (about === undefined) return undefined;
  if (Number(about.format) > newestFormat) throw newerLog(log, Number(about.format), newestFormat);
  const records: LogRecord[] = [];
  let due = afterSeq + 1;
  for (const { seq, first, text } of found) {
    const isNext = first === due || (records.length === 0 && Number(first) < due);
    if (!isNext || seq === null || text === null) throw gapIn(log, due);
    records.push({ seq, text: text.toString() });
    due = seq + 1;
  }
  if (throughSeq === highestSeq && due <= Number(about.first)) throw gapIn(log, due);
  return { epoch: about.epoch ?? '', records };
}

type RecordRow = {
  seq: number | null;
  first: number | null;
  text: Buffer | null;
  epoch: string | null;
  format: number | null;
};

const readStatement = `
  SELECT NULL::double precision AS seq, l.last_seq::double precision AS first, NULL::bytea AS text, l.epoch, l.format
  FROM loom.logs l WHERE l.log = $1
  UNION ALL
  SELECT r.seq::double precision, r.first::double precision, r.text, NULL, NULL
  FROM loom.records r WHERE r.log = $1 AND r.seq > $2 AND r.first <= $3`;

function newerLog(log: string, format: number, newest: number): StoreError {
  return new StoreError(
    'store-newer',
    `log ${JSON.stringify(log)} has format ${format}, and this Loom knows up to ${newest}`,
    'A newer Loom has written to it. Use that one for this conversation; the others can be used here. Nothing was changed.',
    { isAboutOneLog: true },
  );
}

function gapIn(log: string, seq: number): StoreError {
  return new StoreError(
    'store-corrupt',
    `log ${JSON.stringify(log)} has lost records: the one of change ${seq} is missing`,
    'Something other than Loom has deleted rows. Restore the database from a backup.',
  );
}
