import { join } from 'node:path';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { setImmediate } from 'node:timers/promises';
import { inspectDatabase } from '../database.ts';
import { databaseFailure } from '../failures.ts';
import { unpackText } from '../../packed-text.ts';
import { recordsWhere } from '../tables/schema.ts';

/** A problem found in a data directory. */
export interface IntegrityProblem {
  /** The damaged part: the file as such, a log, or something derived from one, which can be made again. */
  part: 'database' | 'log' | 'projection';
  /** The name of the log or projection; undefined for the file. */
  name: string | undefined;
  /** For a person. */
  message: string;
}

/** The number of logs and records checked, and the problems found. */
export interface IntegrityReport {
  logs: number;
  records: number;
  problems: IntegrityProblem[];
}

/**
 * Checks every page and every record of a data directory, and changes nothing; others may write to it meanwhile. The content of a record is
 * guarded by a checksum that a store does not know: `checkText` returns the problem with a text, or nothing.
 */
export async function checkIntegrity(
  directory: string,
  checkText: (text: string) => string | undefined = () => undefined,
): Promise<IntegrityReport> {
  const report: IntegrityReport = { logs: 0, records: 0, problems: [] };
  const { database, format } = inspect(join(directory, 'loom.db'));
  using opened = database;
  const attempt = async (work: () => void | Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      const failure = databaseFailure(error);
      report.problems.push({ part: 'database', name: undefined, message: messageOf(failure) });
    }
  };
  await attempt(() => opened.exec('BEGIN'));
  await attempt(() => checkPages(opened, format, report));
  await attempt(() => checkLogs(opened, format, report, checkText));
  if (format >= 3) await attempt(() => checkProjections(opened, report));
  return report;
}

function inspect(path: string): ReturnType<typeof inspectDatabase> {
  try {
    return inspectDatabase(path);
  } catch (error) {
    throw databaseFailure(error);
  }
}

function checkPages(database: DatabaseSync, format: number, { problems }: IntegrityReport): void {
  for (const row of database.prepare('PRAGMA integrity_check(100)').all()) {
    const message = String(row['integrity_check']);
    if (message !== 'ok') problems.push({ part: 'database', name: undefined, message });
  }
  const counters = database.prepare('SELECT count(*) AS count FROM client_ids').get()?.['count'];
  if (counters !== 1) problems.push({ part: 'database', name: undefined, message: 'the last client id is missing' });
  const strays = database.prepare(
    `SELECT count(*) AS count FROM (${recordsWhere('id >> 32 NOT IN (SELECT id FROM logs)', format)})`,
  );
  const stray = Number(strays.get()?.['count']);
  if (stray > 0)
    problems.push({
      part: 'database',
      name: undefined,
      message: `${stray === 1 ? '1 record belongs' : `${stray} records belong`} to no log`,
    });
}

async function checkLogs(
  database: DatabaseSync,
  format: number,
  report: IntegrityReport,
  checkText: (text: string) => string | undefined,
): Promise<void> {
  const records = database.prepare(
    `SELECT id & 0xffffffff AS seq, ifnull(first, id & 0xffffffff) AS first, text, packed
     FROM (${recordsWhere('id > ((?1 << 32) | ?2) AND id < (?1 + 1) << 32', format)} ORDER BY id LIMIT ${pieceRows})`,
  );
  for (const log of database.prepare('SELECT id, name, last_seq FROM logs ORDER BY name').all()) {
    const name = String(log['name']);
    const note = (message: string): unknown => report.problems.push({ part: 'log', name, message });
    report.logs += 1;
    let last = 0;
    for (;;) {
      const rows = records.all(Number(log['id']), last);
      for (const row of rows) {
        const [first, seq] = [Number(row['first']), Number(row['seq'])];
        if (first !== last + 1) note(`after ${last} comes ${first}`);
        const problem = checkRecord(row, checkText);
        if (problem !== undefined) note(`record ${seq}: ${problem}`);
        last = seq;
      }
      report.records += rows.length;
      if (rows.length < pieceRows) break;
      await setImmediate();
    }
    if (last !== Number(log['last_seq'])) note(`it ends at ${last}, but should end at ${String(log['last_seq'])}`);
  }
}

const pieceRows = 128;

function checkRecord(
  { text, packed }: Record<string, SQLOutputValue>,
  checkText: (text: string) => string | undefined,
): string | undefined {
  if (!(packed instanceof Uint8Array)) return typeof text === 'string' ? checkText(text) : 'its text is missing';
  try {
    return checkText(unpackText(packed));
  } catch (error) {
    return `it cannot be unpacked: ${messageOf(error)}`;
  }
}

function checkProjections(database: DatabaseSync, { problems }: IntegrityReport): void {
  const found = database.prepare(
    `SELECT projections.name, logs.name AS log, logs.epoch = projections.epoch AS same, projections.seq <= last_seq AS within
     FROM projections LEFT JOIN logs ON logs.id = projections.log`,
  );
  for (const { name, log, same, within } of found.all()) {
    const message =
      log === null ? 'its log is gone' : same === 0 ? 'its log has another epoch' : 'it holds more than its log';
    if (log === null || same === 0 || within === 0) problems.push({ part: 'projection', name: String(name), message });
  }
  const parts = database.prepare(
    'SELECT name, key, packed FROM parts LEFT JOIN projections ON projections.id = projection',
  );
  for (const row of parts.iterate()) {
    const name = row['name'] === null ? undefined : String(row['name']);
    const problem = name === undefined ? 'it belongs to no projection' : checkRecord(row, () => undefined);
    if (problem !== undefined) {
      problems.push({ part: 'projection', name, message: `part ${JSON.stringify(row['key'])}: ${problem}` });
    }
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
